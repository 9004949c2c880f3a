import { EventEmitter, once } from 'node:events';

const WITHIN_MS = 60_000;

/** A stream of server-sent events that is followed until it ends, or is left; all of it is kept. */
export class FollowedStream extends EventEmitter<{ more: [] }> {
  /** Everything that came so far. */
  text = '';
  /** Resolves when the other side has ended it. */
  readonly end: Promise<void>;

  private constructor(
    readonly path: string,
    body: ReadableStream<Uint8Array>,
    private readonly leaving: AbortController,
  ) {
    super();
    this.end = this.#read(body);
  }

  /** Resolves once the stream is answered. */
  static async open(url: string, path: string): Promise<FollowedStream> {
    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream' };
    const response = await fetch(`${url}${path}`, { headers, signal: leaving.signal });
    const type = response.headers.get('content-type') ?? '';
    if (response.status !== 200 || response.body === null || !type.includes('event-stream')) {
      throw new Error(`GET ${path}: ${response.status} ${type}`);
    }
    return new FollowedStream(path, response.body, leaving);
  }

  /** Resolves when this has come. */
  async until(wanted: string): Promise<void> {
    const signal = AbortSignal.timeout(WITHIN_MS);
    while (!this.text.includes(wanted)) {
      await once(this, 'more', { signal }).catch((error: unknown) => {
        throw new Error(`${wanted} never came: ${this.text}`, { cause: error });
      });
    }
  }

  /** Lets go of it. */
  async stop(): Promise<void> {
    this.leaving.abort();
    await this.end;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        this.text += chunk;
        this.emit('more');
      }
    } catch (error) {
      if (!this.leaving.signal.aborted) throw error;
    }
  }
}
