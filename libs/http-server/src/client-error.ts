import type { Socket } from 'node:net';
import { Problem, problemBody } from './problems.js';
import { SAFE_HEADERS } from './safe-headers.js';
import { PROBLEM_TYPE } from './send-problem.js';

/** Statuses of what Node itself refuses, before there is a request. */
const LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers bytes that are no HTTP request, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const line = LINES[error.code ?? ''] ?? '400 Bad Request';
  const problem = new Problem('INVALID_REQUEST', `This is no HTTP request (${line.slice(4)}).`);
  const status = Number(line.slice(0, 3));
  const body = `${JSON.stringify({ ...problemBody(problem, ''), status })}\n`;
  const head = [
    `HTTP/1.1 ${line}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
