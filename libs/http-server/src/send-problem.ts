import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from './origin-rules.js';
import { type Problem, problemBody } from './problems.js';

/** Media type of every error. */
export const PROBLEM_TYPE = 'application/problem+json';

/**
 * Headers of every answer. Pages from elsewhere may neither embed nor read any of it, and whether a
 * request is answered depends on where it comes from, and in whose name. Nothing keeps a copy.
 * Pages have a policy of their own, and files of the console say for how long they are good.
 */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  vary: 'Origin, Authorization, Cookie, X-Backstep-Actor, X-Backstep-Groups, X-Backstep-Proxy, Accept-Encoding',
} as const;

/** For a year, browsers ask by TLS alone. */
const OVER_TLS = { ...SAFE_HEADERS, 'strict-transport-security': 'max-age=31536000' } as const;

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

/**
 * The headers of every answer to a request. Where this process speaks TLS, browsers keep to it; but
 * not for names of loopback, under which every port of the machine is the same host to them.
 */
export function safeHeaders({
  headers: { host = '' },
  protocol,
}: Pick<FastifyRequest, 'headers' | 'protocol'>): Readonly<Record<string, string>> {
  return protocol === 'https' && !isLoopbackHost(host) ? OVER_TLS : SAFE_HEADERS;
}
