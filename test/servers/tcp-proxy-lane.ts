import type { Socket } from 'node:net';

/** More than this is left with the sender, as a network that does not deliver would leave it. */
const QUEUE_BYTES = 1 << 20;
/** A slow line delivers so often. */
const SLICES_PER_SECOND = 20;

/** How a lane moves bytes. Default: at once. */
export interface Pace {
  readonly held?: boolean;
  readonly delayMs?: number;
  readonly bytesPerSecond?: number;
  /** The next bytes arrive by half, and the line breaks. */
  readonly torn?: boolean;
}

interface Item {
  /** Bytes, the end of the stream, or its breaking off. */
  readonly what: Buffer | 'end' | 'reset';
  readonly dueAt: number;
}

/** One direction of a proxied connection: a queue from one socket to the other. */
export class ProxyLane {
  bytes = 0;
  #pace: Pace = {};
  #queue: Item[] = [];
  #queued = 0;
  #lastDueAt = 0;
  #finished = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: Socket,
    private readonly sink: Socket,
    private readonly arrives: (chunk: Buffer) => void,
  ) {
    source.on('data', (chunk: Buffer) => this.#receive(chunk));
    source.once('end', () => this.#push('end'));
    // Errors are told by `close`, which follows.
    source.on('error', () => undefined);
    source.once('close', (hadError) => {
      if (hadError || !source.readableEnded) this.#push('reset');
    });
    sink.on('drain', () => this.#deliver());
  }

  /** Changes the pace. Where the new one has no delay, chunks that wait go on at once. */
  set(pace: Pace): void {
    this.#pace = pace;
    if (pace.delayMs === undefined && pace.bytesPerSecond === undefined) {
      this.#queue = this.#queue.map(({ what }) => ({ what, dueAt: 0 }));
      this.#lastDueAt = 0;
    }
    this.#deliver();
  }

  /** Resets the receiving end and drops what it has not got. */
  cut(): void {
    clearTimeout(this.#timer);
    this.#queue = [];
    this.#finished = true;
    this.sink.resetAndDestroy();
  }

  /** Ends the stream towards the receiver, who gets nothing more. */
  finish(): void {
    this.#finished = true;
    this.sink.end();
  }

  #receive(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.arrives(chunk);
    if (this.#pace.torn) {
      this.#push(chunk.subarray(0, chunk.length >> 1));
      this.#push('reset');
      return;
    }
    for (const slice of this.#slices(chunk)) this.#push(slice);
  }

  *#slices(chunk: Buffer): Generator<Buffer> {
    const rate = this.#pace.bytesPerSecond;
    const size = rate === undefined ? chunk.length : Math.max(1, rate / SLICES_PER_SECOND);
    for (let at = 0; at < chunk.length; at += size) yield chunk.subarray(at, at + size);
  }

  #push(what: Item['what']): void {
    if (this.#finished) return;
    this.#queue.push({ what, dueAt: this.#dueAt(what) });
    this.#queued += what instanceof Buffer ? what.length : 0;
    if (this.#queued > QUEUE_BYTES) this.source.pause();
    this.#deliver();
  }

  /** Never before what came earlier: the line keeps the order, whatever its pace was then. */
  #dueAt(what: Item['what']): number {
    const { delayMs = 0, bytesPerSecond } = this.#pace;
    const now = performance.now();
    const length = what instanceof Buffer ? what.length : 0;
    const takes = bytesPerSecond === undefined ? 0 : (length / bytesPerSecond) * 1_000;
    this.#lastDueAt = Math.max(now + delayMs, this.#lastDueAt) + takes;
    return this.#lastDueAt;
  }

  #deliver(): void {
    clearTimeout(this.#timer);
    for (let next = this.#queue[0]; next && this.#isOpen(); next = this.#queue[0]) {
      const early = next.dueAt - performance.now();
      if (early > 0) {
        this.#timer = setTimeout(() => this.#deliver(), early);
        return;
      }
      this.#queue.shift();
      this.#hand(next.what);
    }
    if (this.#queued <= QUEUE_BYTES && !this.#pace.held) this.source.resume();
  }

  #isOpen(): boolean {
    return !this.#pace.held && !this.#finished && !this.sink.writableNeedDrain;
  }

  #hand(what: Item['what']): void {
    if (what === 'end') this.sink.end();
    else if (what === 'reset') this.cut();
    else {
      this.#queued -= what.length;
      this.sink.write(what);
    }
  }
}
