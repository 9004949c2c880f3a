import { createHmac, timingSafeEqual } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An alert as it arrived. */
export interface Arrival {
  readonly id: string;
  /** Whether the signature is that of the secret, by the rules of Standard Webhooks. */
  readonly genuine: boolean;
  readonly body: {
    readonly rule?: string;
    readonly on?: string;
    readonly kind?: string;
    readonly of?: string | null;
    readonly module?: string;
    readonly schedule?: string;
    readonly message?: string;
    readonly task?: { readonly taskId?: string; readonly step?: string; readonly event?: string };
  };
  /** The status that the sender was answered; null: none, until it gave up. */
  readonly answered: number | null;
}

const WITHIN_MS = 90_000;

/** An on-call service: it answers as it is told to, and keeps what arrives. */
export class AlertReceiver extends EventEmitter<{ arrival: [Arrival] }> {
  readonly arrivals: Arrival[] = [];
  /** The status it answers with; null: it takes the request and never answers. */
  answer: number | null = 200;
  /** Whether it takes the next request and never answers, whatever `answer` says. */
  hangs: () => boolean = () => false;

  private constructor(
    private readonly server: Server,
    readonly secret: string,
  ) {
    super();
    server.on('request', (request, response) => void this.#take(request, response));
  }

  /** Listens on a free port. The secret is base64 after `whsec_`, as tools generate it. */
  static async open(secret: string): Promise<AlertReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AlertReceiver(server, secret);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/alerts`;
  }

  /** Resolves when a number of them have arrived about a task, with these. */
  async untilArrived(taskId: string, count: number): Promise<readonly Arrival[]> {
    await this.until(() => this.about(taskId).length >= count);
    return this.about(taskId);
  }

  /** Resolves when it is so after an arrival, or already. */
  async until(isSo: () => boolean, withinMs = WITHIN_MS): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    while (!isSo()) await once(this, 'arrival', { signal });
  }

  about(taskId: string): readonly Arrival[] {
    return this.arrivals.filter(({ body }) => body.task?.taskId === taskId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const answer = this.hangs() ? null : this.answer;
    const arrival: Arrival = {
      id: String(request.headers['webhook-id']),
      genuine: this.#isGenuine(request, raw),
      body: JSON.parse(raw) as Arrival['body'],
      answered: answer,
    };
    this.arrivals.push(arrival);
    if (answer !== null) response.writeHead(answer).end();
    this.emit('arrival', arrival);
  }

  #isGenuine({ headers }: IncomingMessage, raw: string): boolean {
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw}`;
    const key = Buffer.from(this.secret.slice('whsec_'.length), 'base64');
    const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    const given = Buffer.from(String(headers['webhook-signature']));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}
