import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problemBody } from './problems.js';
import { safeHeaders } from './safe-headers.js';

/** Media type of every error. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Answers a request with an error. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  const { id } = request;
  const body = problemBody(problem, pathOf(request.url), id);
  reply
    .code(problem.status)
    .header('x-request-id', id)
    .headers(safeHeaders(request))
    .headers(problem.headers)
    .type(PROBLEM_TYPE)
    .send(`${JSON.stringify(body)}\n`);
}

/** The path of a request's target. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
