import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  CannotOpenSecret,
  InvalidCursor,
  NoSecretKey,
  ProcessUnavailable,
  RecordUnreadable,
  StoreDamaged,
  StoreUnavailable,
  TaskUnreadable,
} from '#ports';
import { isHttpRefusal } from '#executor';
import { invalidRequest, Problem } from './problems.js';
import type { ProblemCode } from './problem-catalogue.js';
import { sendProblem } from './send-problem.js';

/** Called for errors that no client has caused, and that the operator must hear of. */
export type OnFault = (problem: Problem, requestId: string) => void;

/** Seconds after which a client should try a store again that did not answer. */
const STORE_RETRY_SECONDS = '1';

/** The same for a process that did not start: the machine has too much to do. */
const PROCESS_RETRY_SECONDS = '2';

/** The same for one that a person has to restore first. */
const DAMAGED_RETRY_SECONDS = '30';

/** Our codes for Fastify's own errors. */
const FASTIFY_CODES: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
};

/** Our sentences where Fastify's own do not help. */
const FASTIFY_DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is longer than what `BACKSTEP_MAX_PARAMETERS` allows here.',
};

const BY_STATUS: ReadonlyMap<number, ProblemCode> = new Map([
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [413, 'PAYLOAD_TOO_LARGE'],
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

/** Turns whatever a controller throws into an answer of the catalogue. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly onFault: OnFault) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** The same for errors that no controller was reached with. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error, request.method === 'GET' || request.method === 'HEAD');
    if (problem.code === 'INTERNAL') this.onFault(problem, request.id);
    // One whose client has gone was ended for that.
    const isRefused = problem.code === 'PROCESS_UNAVAILABLE' && !reply.raw.destroyed;
    if (isRefused) this.onFault(problem, request.id);
    // Half an answer cannot be taken back: the client sees that it broke off.
    if (reply.raw.headersSent) reply.raw.destroy();
    else sendProblem(request, reply, problem);
  }
}
