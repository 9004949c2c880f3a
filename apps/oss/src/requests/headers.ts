import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Task } from '#core';
import { invalidRequest, principalOf, Problem } from '#http-server';
import { ACTOR, ENTITY_TAGS, KEY, pattern, REASON } from './limits.js';

const KEY_PATTERN = pattern(KEY);
const ACTOR_PATTERN = pattern(ACTOR);
const TAG_LIST = pattern(ENTITY_TAGS);
/** The part of a tag after a dot is of the answer, and not of the thing. */
const REVISION_TAG = /(?<=")\d{1,15}(?=(?:\.[\w-]{1,30})?")/g;
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Numbers of the worker protocols that are served. */
export const PROTOCOLS: readonly number[] = [1];

/** The actor of a request that names none. */
const UNNAMED = 'api';

/** The idempotency key of a request: in the header, in the body, or the same in both. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders, inBody?: string): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return inBody ?? null;
  const key = unquoted(utf8(header));
  if (!KEY_PATTERN.test(key)) {
    const message = 'The header `Idempotency-Key` is text of 1 to 255 characters.';
    throw invalidRequest({ pointer: '/Idempotency-Key', message });
  }
  if (inBody === undefined || inBody === key) return key;
  const message = 'The header `Idempotency-Key` and the member `idempotencyKey` differ.';
  throw invalidRequest({ pointer: '/idempotencyKey', message, hint: 'Send one of them.' });
}

/**
 * The actor of a request: the name of the key. Where no key is asked for, the header
 * `X-Backstep-Actor`, believed as it stands, or `api`.
 */
export function actorOf(request: FastifyRequest): string {
  const { keyId, name } = principalOf(request);
  const claimed = claimedActor(request.headers);
  return keyId === null ? claimed : name;
}

/** The actor that the header `X-Backstep-Actor` names, or `api`. */
export function claimedActor(headers: IncomingHttpHeaders): string {
  const header = headers['x-backstep-actor'];
  if (header === undefined) return UNNAMED;
  const actor = utf8(header).trim();
  if (ACTOR_PATTERN.test(actor)) return actor;
  const message = 'The header `X-Backstep-Actor` is text of 1 to 200 characters.';
  throw invalidRequest({ pointer: '/X-Backstep-Actor', message });
}

/** The trace the request is part of; one that cannot be read is none. */
export function traceparentOf(headers: IncomingHttpHeaders): string | null {
  const header = headers['traceparent'];
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null;
}

/**
 * The revisions one of which `If-Match` asks for; undefined where any will do. A tag that is no
 * revision is none that Backstep ever gave, so nothing has it.
 */
export function expectedRevisions(headers: IncomingHttpHeaders): readonly number[] | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (TAG_LIST.test(header)) return Array.from(header.matchAll(REVISION_TAG), Number);
  const message = 'The header `If-Match` must be an `ETag`, as it was sent.';
  throw invalidRequest({ pointer: '/If-Match', message, hint: 'For example "3".' });
}

/** No task is at it. */
const NO_REVISION = -1;

/**
 * The revision at which `If-Match` wants a task to be; undefined: at any. Of several it is that of
 * the task now, where that is one of them.
 */
export function expectedOf(
  headers: IncomingHttpHeaders,
  { revision }: Pick<Task, 'revision'>,
): number | undefined {
  const asked = expectedRevisions(headers);
  if (asked === undefined) return undefined;
  return asked.includes(revision) ? revision : (asked[0] ?? NO_REVISION);
}

/** Throws the `Problem` that a task is not at a revision that `If-Match` asks for. */
export function expectRevision(headers: IncomingHttpHeaders, { revision }: Task): void {
  if (expectedRevisions(headers)?.includes(revision) !== false) return;
  throw new Problem('REVISION_CHANGED', `The task is at revision ${revision} by now.`);
}

/** The reason of a request without a body. */
export function reasonIn(headers: IncomingHttpHeaders): string {
  const header = headers['x-backstep-reason'];
  const said = typeof header === 'string' ? utf8(header).trim().slice(0, REASON.maxLength) : '';
  return said === '' ? 'no reason was given' : said;
}

/** Throws the `Problem` of a header `Backstep-Worker-Protocol` that names another protocol. */
export function expectProtocol(headers: IncomingHttpHeaders): void {
  const asked = headers['backstep-worker-protocol'];
  if (asked === undefined || PROTOCOLS.some((number) => String(number) === asked)) return;
  const served = `The worker protocols ${PROTOCOLS.join(', ')} are served here.`;
  const errors = [{ pointer: '/Backstep-Worker-Protocol', message: served }];
  throw new Problem('PROTOCOL_UNSUPPORTED', served, {
    errors,
    extension: { supported: PROTOCOLS },
  });
}

/** A structured header's text stands in quotes. */
function unquoted(text: string): string {
  const found = /^"(.*)"$/.exec(text.trim());
  return found === null ? text.trim() : (found[1] ?? '').replaceAll(/\\(["\\])/g, '$1');
}

/** Node gives the bytes of a header one by one; most clients mean UTF-8. */
function utf8(header: string | readonly string[]): string {
  const text = [header].flat().join(', ');
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}
