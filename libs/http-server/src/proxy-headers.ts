import type { FastifyRequest } from 'fastify';
import type { SaidByProxy } from '#access';
import { invalidRequest } from './problems.js';

const SECRET = 'x-backstep-proxy';
const ACTOR = 'x-backstep-actor';
const GROUPS = 'x-backstep-groups';

type Heard = Pick<FastifyRequest, 'headers'> & {
  readonly raw: Pick<FastifyRequest['raw'], 'rawHeaders'>;
};

/** Whether a request names an actor, and no proxy vouches for it. */
export function isUnvouched({ headers }: Pick<Heard, 'headers'>): boolean {
  return headers[ACTOR] !== undefined && headers[SECRET] === undefined;
}

/**
 * The headers of a proxy; null: it was none. Throws the `Problem` that one of them is there twice:
 * the proxy then passes on what its client sent.
 */
export function saidByProxy({ headers, raw }: Heard): SaidByProxy | null {
  const secret = textOf(headers[SECRET]);
  if (secret === null) return null;
  for (const name of ['X-Backstep-Actor', 'X-Backstep-Groups']) expectOnce(name, raw.rawHeaders);
  return { secret, actor: textOf(headers[ACTOR]), groups: textOf(headers[GROUPS]) ?? '' };
}

/** Names and values in turn. */
function expectOnce(header: string, rawHeaders: readonly string[]): void {
  const name = header.toLowerCase();
  const found = rawHeaders.filter((text, n) => n % 2 === 0 && text.toLowerCase() === name);
  if (found.length < 2) return;
  const message = `There is more than one \`${header}\` header.`;
  const hint = 'A proxy must not pass on the one of its client.';
  throw invalidRequest({ pointer: `/${header}`, message, hint });
}

/** The text of a header, sent as UTF-8. */
function textOf(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  return Buffer.from([header].flat().join(', '), 'latin1').toString('utf8').trim();
}
