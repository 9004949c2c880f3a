import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Stoppable } from '../trial/index.js';
import type { Fault } from './cases.js';

type Body = Record<string, unknown>;

/**
 * Stands between a worker and the gateway. It makes the trouble that a case orders, and adds
 * members that no worker knows to every answer.
 */
export class FaultyProxy implements Stoppable {
  readonly #server = createServer((incoming, answer) => {
    this.#handle(incoming, answer).catch(() => answer.destroy());
  });
  #faults: Fault[] = [];
  #isAway = false;

  private constructor(private readonly target: URL) {}

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Trouble that was ordered and has not come. */
  get pending(): readonly Fault[] {
    return this.#faults;
  }

  order(faults: readonly Fault[]): void {
    this.#faults = [...faults];
  }

  /** Breaks all connections, and takes none until it is back. */
  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (isAway) this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { url = '/' } = incoming;
    if (this.#isAway || this.#take(url, 'break') !== undefined) return void answer.destroy();
    const refusal = this.#take(url, 'refuse');
    if (refusal !== undefined) {
      answer.writeHead(refusal.status ?? 503, { 'retry-after': '1' }).end();
      return;
    }
    const { body: said, head } = await this.#pass(incoming, { answer, body });
    // By now: a poll may have waited since before the trouble was ordered.
    const isLost = this.#take(url, 'lose', said.includes('"claim"')) !== undefined;
    if (isLost) answer.destroy();
    else answer.writeHead(head.statusCode ?? 500, headersOf(head)).end(grown(head, said));
  }

  /** The trouble of a kind that is ordered for an address, which comes once. */
  #take(url: string, trouble: Fault['trouble'], hasItems = true): Fault | undefined {
    const index = this.#faults.findIndex((fault) => {
      const fits = fault.trouble === trouble && url.endsWith(fault.route);
      return fits && (hasItems || fault.ifItems !== true);
    });
    return index === -1 ? undefined : this.#faults.splice(index, 1)[0];
  }

  /** The answer of the gateway. A client that leaves takes its request along. */
  #pass(
    { headers, method, url = '/' }: IncomingMessage,
    { answer, body }: { readonly answer: ServerResponse; readonly body: Buffer },
  ): Promise<{ readonly head: IncomingMessage; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const own = { ...headers, host: this.target.host };
      const passed = request(new URL(url, this.target), { method, headers: own });
      answer.once('close', () => passed.destroy());
      passed.once('error', reject);
      passed.once('response', (head) => {
        buffer(head).then((said) => resolve({ head, body: said.toString('utf8') }), reject);
      });
      passed.end(body);
    });
  }
}

function headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers;
  return rest;
}

/** The body with members that no client knows. */
function grown({ headers }: IncomingMessage, text: string): string {
  if (headers['content-type']?.startsWith('application/json') !== true) return text;
  const body = JSON.parse(text) as Body;
  const lists = ['items', 'claims'].filter((name) => Array.isArray(body[name]));
  const more = lists.map((name) => [name, (body[name] as Body[]).map(withMore)]);
  return JSON.stringify(withMore({ ...body, ...Object.fromEntries(more) }));
}

function withMore(body: Body): Body {
  return { ...body, laterVersion: { of: ['the', 'protocol'] } };
}
