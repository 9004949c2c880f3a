import type { FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import type { AuditTrail } from '#access';
import type { Clock } from '#ports';
import { admittedAs, isAsked } from './access-gate.js';
import { pathOf } from './send-problem.js';

/** Options of the audit hook. */
export interface AuditOptions {
  readonly trail: Pick<AuditTrail, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether tasks that are made are written down as well. */
  readonly includesCreates: boolean;
}

/** Requests that make tasks. Each task tells by itself who made it, so nobody waits for these. */
const CREATES: ReadonlySet<string> = new Set(['POST /v1/tasks', 'POST /v1/tasks:batch']);
/**
 * Requests that are not written down: they change nothing, though they are no reads by their
 * method, or they are work that the journal of its task tells of.
 */
const UNWRITTEN: ReadonlySet<string> = new Set([
  'POST /v1/flows:validate',
  'POST /v1/flows/{name}:plan',
  'POST /v1/flows:plan',
  'POST /v1/work:poll',
  'POST /v1/work:heartbeat',
]);
/** Begins the requests about a claim of a worker. */
const OF_CLAIM = 'POST /v1/work/';
/** Longest text of each, in characters: the rest of a longer one is not written. */
const TARGET_MAX = 2_000;
const REASON_MAX = 1_000;
const ACTOR_MAX = 200;

/**
 * Makes the hook that writes the requests to a route down before they are answered; null where
 * nothing is to be written. A request without a known caller is not written down: anybody could
 * fill the log with them.
 */
export function auditHook(operation: string, options: AuditOptions): onSendAsyncHookHandler | null {
  const isCreate = CREATES.has(operation);
  if (operation.startsWith('GET ') || operation.startsWith('HEAD ')) return null;
  if (UNWRITTEN.has(operation) || operation.startsWith(OF_CLAIM)) return null;
  if (isCreate && !options.includesCreates) return null;
  return async (request, reply, payload) => {
    if (isAsked(request) && admittedAs(request) === null) return payload;
    const written = options.trail.add({
      at: options.clock.now(),
      ...whoOf(request),
      operation,
      target: pathOf(request.url).slice(0, TARGET_MAX),
      status: reply.statusCode,
      reason: reasonOf(request),
      requestId: request.id,
    });
    if (!isCreate) await written;
    return payload;
  };
}

function whoOf(request: FastifyRequest): { readonly actor: string; readonly keyId: string | null } {
  const principal = admittedAs(request);
  if (principal !== null) return { actor: principal.name, keyId: principal.keyId };
  const claimed = textOf(request.headers['x-backstep-actor']) ?? 'api';
  return { actor: claimed.slice(0, ACTOR_MAX), keyId: null };
}

interface Said {
  readonly reason?: unknown;
  readonly comment?: unknown;
}

/** A body that is a text, such as a flow, has no member for it: the reason is in a header. */
function reasonOf({ body, headers }: FastifyRequest): string | null {
  const { comment, reason = comment ?? textOf(headers['x-backstep-reason']) } = (body ??
    {}) as Said;
  return typeof reason === 'string' ? reason.slice(0, REASON_MAX) : null;
}

/** The text of a header, sent as UTF-8. */
function textOf(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  return Buffer.from([header].flat().join(', '), 'latin1').toString('utf8');
}
