import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** One connection that sends one request at a time: so little that a floor is what is measured. */
export class HttpLine {
  #said: Buffer = Buffer.alloc(0);
  #waiting: Waiting | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    socket.on('close', () => this.#settle()?.reject(new Error('the connection has closed')));
    socket.on('error', () => {});
  }

  /** Resolves when the server has taken the connection. */
  static async open(url: string): Promise<HttpLine> {
    const { host, hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new HttpLine(socket, host);
  }

  /** Sends JSON; resolves to the JSON of a good answer, and throws any other one. */
  post<T>(path: string, body: unknown): Promise<T> {
    const text = JSON.stringify(body);
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${this.host}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(text)}`,
    ];
    return new Promise<T>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.socket.write(head.join('\r\n') + HEAD_END + text);
    });
  }

  /** Closes it, whatever is on its way. */
  close(): void {
    this.socket.destroy();
  }

  #hear(chunk: Buffer): void {
    this.#said = this.#said.length === 0 ? chunk : Buffer.concat([this.#said, chunk]);
    const end = this.#said.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#said.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const start = end + HEAD_END.length;
    if (this.#said.length < start + length) return;
    const body = this.#said.toString('utf8', start, start + length);
    this.#said = Buffer.alloc(0);
    const waiting = this.#settle();
    if (head.startsWith('HTTP/1.1 200')) waiting?.resolve(JSON.parse(body) as never);
    else waiting?.reject(new Error(`${head.slice(0, 20)} ${body}`));
  }

  #settle(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting;
  }
}
