import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { BSON } from 'mongodb';

/** Bytes of a message's head: its length, its id, the id that it answers, the kind of message. */
const HEAD = 16;
/** The kind of message that every command but the first of a connection is. */
const OP_MSG = 2_013;
/** Head, flags, and the kind of the first section. */
const BODY_AT = HEAD + 5;

/** The answer of a MongoDB to a command that it does not carry out. */
export interface Refusal {
  readonly code: number;
  readonly errmsg: string;
  /** Such as `RetryableWriteError`. */
  readonly errorLabels?: readonly string[];
}

/** Decides on a command by its name, such as `update`; null: it reaches the server. */
export type Refuses = (command: string) => Refusal | null;

/** Stands before a MongoDB and refuses commands in its place, as a server in trouble would. */
export class RefusingProxy extends EventEmitter<{ refused: [command: string] }> {
  /** Null: nothing is refused. */
  refuses: Refuses | null = null;
  readonly #clients = new Set<Socket>();

  private constructor(
    private readonly listener: Server,
    private readonly target: URL,
  ) {
    super();
    listener.on('connection', (client) => this.#accept(client));
  }

  /** Listens on a free port of this machine, before the server of a URL. */
  static async openBefore(url: string): Promise<RefusingProxy> {
    const listener = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new RefusingProxy(listener, new URL(url));
  }

  /** The URL of the server by way of this proxy. */
  get url(): string {
    const { port } = this.listener.address() as AddressInfo;
    return `mongodb://127.0.0.1:${port}/?directConnection=true`;
  }

  /** Resolves with the next command that is refused. */
  async refused(): Promise<string> {
    const [command] = await once(this, 'refused');
    return String(command);
  }

  async close(): Promise<void> {
    const closed = once(this.listener, 'close');
    this.listener.close();
    for (const client of this.#clients) client.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port) });
    this.#clients.add(client);
    const messages = new Messages();
    client.on('data', (chunk) => {
      for (const message of messages.in(chunk)) {
        const answer = this.#answerTo(message);
        if (answer === null) server.write(message);
        else client.write(answer);
      }
    });
    server.pipe(client);
    // Errors are told by `close`, which follows.
    for (const socket of [client, server]) socket.on('error', () => undefined);
    server.once('close', () => client.destroy());
    client.once('close', () => {
      this.#clients.delete(client);
      server.destroy();
    });
  }

  #answerTo(message: Buffer): Buffer | null {
    if (this.refuses === null || message.readInt32LE(12) !== OP_MSG) return null;
    const size = message.readInt32LE(BODY_AT);
    const [command = ''] = Object.keys(BSON.deserialize(message.subarray(BODY_AT, BODY_AT + size)));
    const refusal = this.refuses(command);
    if (refusal === null) return null;
    this.emit('refused', command);
    return answer(message.readInt32LE(4), { ok: 0, ...refusal });
  }
}

function answer(requestId: number, document: object): Buffer {
  const body = BSON.serialize(document);
  const head = Buffer.alloc(BODY_AT);
  head.writeInt32LE(BODY_AT + body.length, 0);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

/** Makes whole messages of the bytes of a connection. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);

  *in(chunk: Buffer): Generator<Buffer> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEAD && this.#rest.length >= this.#rest.readInt32LE(0)) {
      const size = this.#rest.readInt32LE(0);
      yield this.#rest.subarray(0, size);
      this.#rest = this.#rest.subarray(size);
    }
  }
}
