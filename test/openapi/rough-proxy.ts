import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Stoppable } from '../trial/index.js';

/** An id within a path. */
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/**
 * A proxy that gives each address trouble once: it loses the answer to the first `POST`, which had
 * its effect by then, and refuses the first `GET` with a 503.
 */
export class RoughProxy implements Stoppable {
  readonly #server = createServer((incoming, answer) => {
    this.#handle(incoming, answer).catch(() => answer.destroy());
  });
  readonly #seen = new Set<string>();

  private constructor(private readonly target: URL) {}

  static async start(target: string): Promise<RoughProxy> {
    const proxy = new RoughProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often it made trouble. */
  get troubles(): number {
    return this.#seen.size;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { headers, method, url = '/' } = incoming;
    const address = `${method} ${url.replace(ID, '').split('?')[0]}`;
    const isFirst = !this.#seen.has(address);
    this.#seen.add(address);
    const body = await buffer(incoming);
    if (isFirst && method === 'GET') {
      answer.writeHead(503, { 'retry-after': '0' }).end();
      return;
    }
    const own = { ...headers, host: this.target.host };
    const passed = request(new URL(url, this.target), { method, headers: own });
    passed.on('error', () => answer.destroy());
    passed.on('response', (response) => {
      if (isFirst) {
        response.resume().once('end', () => answer.destroy());
        return;
      }
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    passed.end(body);
  }
}
