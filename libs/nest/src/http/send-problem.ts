import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problemBody } from './problems.js';

/** Media type of every error. */
export const PROBLEM_TYPE = 'application/problem+json';

/**
 * Headers of every answer. Pages from elsewhere may neither embed nor read any of it, and whether a
 * request is answered depends on where it comes from. Pages have a policy of their own.
 */
export const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  vary: 'Origin',
} as const;

/** Answers a request with an error. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  const { id } = request;
  const body = problemBody(problem, pathOf(request.url), id);
  reply
    .code(problem.status)
    .header('x-request-id', id)
    .headers(SAFE_HEADERS)
    .header('cache-control', 'no-store')
    .headers(problem.headers)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(body));
}

/** The path of a request's target. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
