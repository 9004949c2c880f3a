import type { EventEmitter } from 'node:events';
import { FairLine } from '#core';
import type { Clock, Timer } from '#ports';
import { Problem } from './problems.js';

/** Bodies of more bytes than this wait for their turn. */
export const LARGE_BODY_BYTES = 256 * 1024;

/**
 * A turn ends with the answer, or after so long: a request that waits for its task, or for a store
 * that is slow, needs no more memory for its body then.
 */
const TURN_MS = 1_000;

/**
 * After this number of bytes of large bodies the garbage is collected: what they were read into is
 * many times as large, and V8 would let it lie until its heap had grown by as much. Each time the
 * thread stands still for as long as the largest bodies take to be read, so it is not done after
 * each.
 */
const GARBAGE_BYTES = 32 * 1024 * 1024;

/** One large body, whose bytes are there. */
interface LargeBody {
  readonly bytes: number;
  /** Callers take turns. */
  readonly caller: string;
  /** Emits `close` when the request is answered, or its client is gone. */
  readonly reply: EventEmitter;
  /** Called when its turn comes; with a problem where its client went before. */
  readonly start: (gone: Problem | null) => void;
  /** Called when its turn is over. */
  readonly end: () => void;
}

interface LargeBodiesOptions {
  readonly clock: Clock;
  readonly collectGarbage: () => void;
}

/**
 * Lets one large body be worked on at a time, turn by turn over callers. A parsed body takes many
 * times its bytes, so what counts for memory is how many are in work; and two of them at once would
 * slow each other down, on one thread.
 */
export class LargeBodies {
  private readonly waiting = new FairLine<string, () => void>();
  private isWorking = false;
  private uncollected = 0;

  constructor(private readonly options: LargeBodiesOptions) {}

  /** Works on a body, at once where nobody is before it. */
  enter({ bytes, caller, end, reply, start }: LargeBody): void {
    let timer: Timer | null = null;
    let state: 'waiting' | 'working' | 'over' = 'waiting';
    const leave = (): void => {
      if (state !== 'working') return;
      state = 'over';
      timer?.cancel();
      this.isWorking = false;
      end();
      this.collect(bytes);
      this.next();
    };
    const begin = (): void => {
      state = 'working';
      this.isWorking = true;
      timer = this.options.clock.after(TURN_MS, leave);
      start(null);
    };
    reply.once('close', () => {
      if (!this.waiting.remove(caller, begin)) return leave();
      state = 'over';
      end();
      start(new Problem('INVALID_REQUEST', 'The client has gone.'));
    });
    this.waiting.add(caller, begin);
    this.next();
  }

  private collect(bytes: number): void {
    this.uncollected += bytes;
    if (this.uncollected < GARBAGE_BYTES) return;
    this.uncollected = 0;
    this.options.collectGarbage();
  }

  private next(): void {
    if (!this.isWorking) this.waiting.next()?.();
  }
}
