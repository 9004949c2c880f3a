import { CannotOpenSecret, InvalidCursor, NoSecretKey } from '#ports';
import { ProcessUnavailable, RecordUnreadable, TaskUnreadable } from '#ports';
import { StoreDamaged, StoreUnavailable } from '#ports';
import { isHttpRefusal } from '#executor';
import { invalidRequest, Problem } from './problems.js';
import { type ProblemCode } from './problem-catalogue.js';

/** Seconds after which a client should try a store again that did not answer. */
const STORE_RETRY_SECONDS = '1';

/** The same for a process that did not start: the machine has too much to do. */
const PROCESS_RETRY_SECONDS = '2';

/** The same for one that a person has to restore first. */
const DAMAGED_RETRY_SECONDS = '30';

/** Our codes for Fastify's own errors. */
const FASTIFY_CODES: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
};

/** Our sentences where Fastify's own do not help. */
const FASTIFY_DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is longer than what `BACKSTEP_MAX_PARAMETERS` allows here.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of this address is longer than anything that is there.',
};

const BY_STATUS: ReadonlyMap<number, ProblemCode> = new Map([
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [413, 'PAYLOAD_TOO_LARGE'],
  [414, 'NOT_FOUND'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
  [429, 'TOO_MANY_REQUESTS'],
]);

/**
 * The error of the catalogue for a thrown value. `isRead`: the request stores nothing.
 * Default: false.
 */
export function problemOf(error: unknown, isRead = false): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreDamaged) return storeDamaged(error);
  if (error instanceof StoreUnavailable) return storeUnavailable(error, isRead);
  if (error instanceof ProcessUnavailable) return processUnavailable(error);
  if (error instanceof TaskUnreadable) {
    return new Problem('TASK_UNREADABLE', error.message, { cause: error });
  }
  if (error instanceof RecordUnreadable) {
    return new Problem('RECORD_UNREADABLE', error.message, { cause: error });
  }
  if (error instanceof NoSecretKey || error instanceof CannotOpenSecret) {
    const detail = 'There is no key for the secrets of the task.';
    return new Problem('SECRET_KEY_MISSING', detail, { cause: error });
  }
  if (error instanceof InvalidCursor) {
    const message = 'No page gave this cursor.';
    const hint = 'Use `page.nextCursor` of the page before, with the same filters.';
    return invalidRequest({ pointer: '/cursor', message, hint });
  }
  return foreignProblem(error);
}

function storeDamaged(cause: StoreDamaged): Problem {
  const headers = { 'retry-after': DAMAGED_RETRY_SECONDS };
  return new Problem('STORE_DAMAGED', cause.message, { headers, cause });
}

function storeUnavailable(cause: StoreUnavailable, isRead: boolean): Problem {
  const headers = { 'retry-after': STORE_RETRY_SECONDS };
  const rest = isRead ? 'nothing was changed' : 'it is unknown whether anything was stored';
  const detail = `The store did not answer; ${rest}.`;
  return new Problem('STORE_UNAVAILABLE', detail, { headers, cause });
}

function processUnavailable(cause: ProcessUnavailable): Problem {
  const headers = { 'retry-after': PROCESS_RETRY_SECONDS };
  const detail = `A process that works for the request cannot run now (${cause.message}).`;
  return new Problem('PROCESS_UNAVAILABLE', detail, { headers, cause });
}

/** Errors of the framework: those a client caused are told apart by code or status. */
function foreignProblem(cause: unknown): Problem {
  const { code, message } = cause as { code?: string; message?: string };
  const status = statusOf(cause);
  const known = FASTIFY_CODES[code ?? ''] ?? BY_STATUS.get(status);
  const detail = FASTIFY_DETAILS[code ?? ''] ?? message ?? 'It cannot be read.';
  if (known !== undefined) return new Problem(known, detail, { cause });
  if (status >= 400 && status < 500) return new Problem('INVALID_REQUEST', detail, { cause });
  return new Problem('INTERNAL', 'Something went wrong that is not your fault.', { cause });
}

function statusOf(error: unknown): number {
  if (isHttpRefusal(error)) return error.getStatus();
  return (error as { statusCode?: number } | null)?.statusCode ?? 500;
}
