import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerOf } from '#seams/node';
import type { ProblemCode } from './problem-catalogue.js';
import { Problem, problemBody } from './problems.js';
import { pathOf, PROBLEM_TYPE, SAFE_HEADERS } from './send-problem.js';

/** Answers to bytes that are no request, as Node calls what is wrong with them. */
const ANSWERS: Readonly<Record<string, readonly [code: ProblemCode, line: string, why: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    'BODY_TOO_SLOW',
    '408 Request Timeout',
    'The request was not there in time.',
  ],
  HPE_HEADER_OVERFLOW: [
    'HEADERS_TOO_LARGE',
    '431 Request Header Fields Too Large',
    'The address and the headers have more than 16 KiB.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'PAYLOAD_TOO_LARGE',
    '413 Payload Too Large',
    'The extensions of chunks have more than 16 KiB.',
  ],
};
const NO_REQUEST = ['INVALID_REQUEST', '400 Bad Request', 'This is no HTTP request.'] as const;

/** Makes the function that answers bytes that are no HTTP request, and closes the connection. */
export function clientErrorAnswers(
  newId: () => string,
): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    // In the middle of an answer another one would be taken for a part of it.
    const isAnswering = answerOf(socket)?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const [code, line, why] = ANSWERS[error.code ?? ''] ?? NO_REQUEST;
    const id = newId();
    const body = `${JSON.stringify(problemBody(new Problem(code, why), '', id))}\n`;
    const head = [
      `HTTP/1.1 ${line}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      `X-Request-Id: ${id}`,
      ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

/** Makes the function that answers a request that expects what is not done here. */
export function expectationAnswers(
  idOf: (request: IncomingMessage) => string,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const id = idOf(request);
    const detail = 'The only expectation that is met is `100-continue`.';
    const problem = new Problem('EXPECTATION_FAILED', detail);
    const body = `${JSON.stringify(problemBody(problem, pathOf(request.url ?? ''), id))}\n`;
    const head = {
      ...SAFE_HEADERS,
      'content-type': PROBLEM_TYPE,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
      'x-request-id': id,
    };
    response.writeHead(problem.status, head).end(body);
  };
}
