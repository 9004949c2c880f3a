import { Agent, request } from 'node:http';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** An answer as it came. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Sends requests as they are: nothing is normalised, nothing is added. Of a stream only the head is
 * waited for: its end is its task's.
 */
export class HttpExchange {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(readonly url: string) {}

  send({ body, headers, method, target }: WireRequest): Promise<WireAnswer> {
    const { hostname, port } = new URL(this.url);
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const options = { agent: this.#agent, hostname, port, method, path: target };
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, headers: { ...headers, ...length } }, (answer) => {
        const { headers, statusCode: status = 0 } = answer;
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status, headers, text: Buffer.concat(chunks).toString() });
        });
        if (headers['content-type']?.startsWith('text/event-stream') !== true) return;
        resolve({ status, headers, text: '' });
        sent.destroy();
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
