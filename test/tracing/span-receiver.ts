import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readSpans, type ReceivedSpan } from './otlp.js';

const WITHIN_MS = 90_000;

/** A backend for traces that takes OTLP over HTTP in JSON: it keeps every span that arrives. */
export class SpanReceiver extends EventEmitter<{ spans: [] }> {
  readonly spans: ReceivedSpan[] = [];
  /** Every export, as it arrived. */
  readonly exports: string[] = [];
  /** Headers of requests that were no export, in their order. */
  readonly asked: Readonly<Record<string, string | string[] | undefined>>[] = [];

  private constructor(private readonly server: Server) {
    super();
    server.on('request', (request, response) => void this.#take(request, response));
  }

  /** Listens on a free port of loopback. */
  static async open(): Promise<SpanReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SpanReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The variables of a process that sends its spans here, as soon as there are any. */
  get environment(): Readonly<Record<string, string>> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  }

  /** The spans of a task, in the order of their starts. */
  of(taskId: string): readonly ReceivedSpan[] {
    const own = this.spans.filter((span) => span.attributes['backstep.task.id'] === taskId);
    return own.toSorted((one, other) => one.startMs - other.startMs);
  }

  /** Resolves to the spans of a task as soon as they have one that is wanted. */
  async until(
    taskId: string,
    isWanted: (span: ReceivedSpan) => boolean,
  ): Promise<readonly ReceivedSpan[]> {
    const signal = AbortSignal.timeout(WITHIN_MS);
    while (!this.of(taskId).some(isWanted)) {
      await once(this, 'spans', { signal }).catch((error: unknown) => {
        const seen = JSON.stringify(this.of(taskId), null, 1);
        throw new Error(`a span of task ${taskId} did not come; it has ${seen}`, { cause: error });
      });
    }
    return this.of(taskId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    if (request.url === '/v1/traces') {
      this.exports.push(body);
      this.spans.push(...readSpans(JSON.parse(body)));
    } else this.asked.push(request.headers);
    this.emit('spans');
  }
}
