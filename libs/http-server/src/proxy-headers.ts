import type { FastifyRequest } from 'fastify';
import type { SaidByProxy } from '#access';

const SECRET = 'x-backstep-proxy';
const ACTOR = 'x-backstep-actor';
const GROUPS = 'x-backstep-groups';

/** Whether a request names an actor, and no proxy vouches for it. */
export function isUnvouched({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[ACTOR] !== undefined && headers[SECRET] === undefined;
}

/** The headers of a proxy, each of which is there once at most; null: it was none. */
export function saidByProxy({ headers }: Pick<FastifyRequest, 'headers'>): SaidByProxy | null {
  const secret = textOf(headers[SECRET]);
  if (secret === null) return null;
  return { secret, actor: textOf(headers[ACTOR]), groups: textOf(headers[GROUPS]) ?? '' };
}

/** The text of a header, sent as UTF-8. */
function textOf(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  return Buffer.from([header].flat().join(', '), 'latin1').toString('utf8').trim();
}
