import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A request as the stub got it. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers requests as a test says. */
type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** Of sockets so far. */
let count = 0;

/** A server that is Backstep as far as a test needs it. */
export class StubServer {
  readonly seen: SeenRequest[] = [];
  answer: Answer = (_request, response) => problem(response, { status: 404, code: 'NOT_FOUND' });
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** On a port of loopback, or on a socket in the folder for temporary files. */
  static async start(on: 'host' | 'socket' = 'host'): Promise<StubServer> {
    const stub = new StubServer();
    if (on === 'host') stub.#server.listen(0, '127.0.0.1');
    else stub.#server.listen(path.join(tmpdir(), `stub-${process.pid}-${(count += 1)}`));
    await once(stub.#server, 'listening');
    return stub;
  }

  get url(): string {
    const address = this.#server.address() as AddressInfo | string;
    return typeof address === 'string' ? `unix:${address}` : `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const { headers, method = '', url: path = '' } = request;
    const seen = { method, path, headers, body };
    this.seen.push(seen);
    this.answer(seen, response);
  }
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Answers with an error. */
export function problem(
  response: ServerResponse,
  {
    code,
    status,
    ...more
  }: {
    readonly status: number;
    readonly code: string;
    readonly errors?: object;
    readonly moreErrors?: number;
  },
): void {
  const type = { 'content-type': 'application/problem+json' };
  const body = { status, code, title: 'A title', detail: `Detail of ${code}.`, ...more };
  response.writeHead(status, type).end(JSON.stringify(body));
}

/** A task of one step as HTTP shows it. */
export function taskReport(status: string, revision = 1) {
  const isFinal = ['succeeded', 'rolled_back', 'terminated'].includes(status);
  return {
    taskId: 'task-1',
    flow: 'sample',
    flowVersion: 1,
    taskStatus: 0,
    status,
    taskMessage: status === 'rolled_back' ? 'step only failed' : null,
    timeCreate: 1_700_000_000,
    timeStart: 1_700_000_000,
    timeEnd: isFinal ? 1_700_000_001 : null,
    input: {},
    parameters: {},
    labels: {},
    priority: 0,
    revision,
    steps: [
      {
        name: 'only',
        kind: 'normal',
        id: 'only',
        generation: 1,
        needs: [],
        state: ['rolled_back', 'rollback_failed'].includes(status) ? 'failed' : 'running',
        code: 0,
        message: null,
        timeStart: 1_700_000_000,
        timeEnd: null,
        attempts: 1,
        output: null,
        normal: { module: 'lab', command: 'sleep', timeout: 300, retry: 0 },
        rollback: null,
      },
    ],
  };
}

/** One event as HTTP shows it. */
export function event(seq: number, kind: string) {
  return { seq, at: new Date(1_700_000_000_000 + seq).toISOString(), kind, actor: 'backstep' };
}

/** The same as a server-sent event. */
export function eventText(seq: number, kind: string): string {
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(event(seq, kind))}\n\n`;
}
