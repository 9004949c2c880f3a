import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/** A request as it goes over the wire: nothing is normalised. */
export interface Sent {
  /** Default: GET, or POST where there is a body. */
  readonly method?: string;
  /** Path and query, as they are written. */
  readonly path: string;
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with its body read. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** From the first byte sent to the last one read. */
  readonly ms: number;
}

/** The members of a problem, or of whatever else a JSON answer holds. */
export function membersOf<T = Record<string, unknown>>({ text }: Reply): Partial<T> {
  try {
    return JSON.parse(text) as Partial<T>;
  } catch {
    return {};
  }
}

/** A client that sends what it is told to, however wrong. */
export class Exchange {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(readonly url: string) {}

  /** Rejects where the connection ends without an answer. */
  send({ body, headers, method, path }: Sent): Promise<Reply> {
    const bytes = bytesOf(body);
    const isChunked = headers?.['transfer-encoding'] !== undefined;
    const sized = bytes !== undefined && !isChunked;
    const { hostname, port } = new URL(this.url);
    const options = {
      agent: this.#agent,
      hostname,
      port,
      path,
      method: method ?? (bytes === undefined ? 'GET' : 'POST'),
      headers: {
        ...(bytes !== undefined && { 'content-type': 'application/json' }),
        ...(sized && { 'content-length': String(bytes.length) }),
        ...headers,
      },
    };
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(options, (answer) => {
        const { headers, statusCode: status = 0 } = answer;
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status, headers, text, ms: performance.now() - started });
        });
      });
      sent.on('error', reject);
      sent.end(bytes);
    });
  }

  /** Sends bytes over a connection of their own; resolves to all that came until its end. */
  raw(text: string): Promise<string> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => (answer += String(chunk)));
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
