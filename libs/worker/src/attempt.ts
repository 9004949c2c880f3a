import type { Clock, Timer } from '#ports';
import { AttemptLog } from './attempt-log.js';
import type { LineLevel, Progress, WorkItem } from './protocol.js';

/** The part of a lease after which work stops that no heartbeat has confirmed. */
const UNHEARD_SHARE = 0.9;
/** The longest time between two heartbeats: a silent worker is soon taken for gone. */
const BEAT_MS_MAX = 10_000;
/** Time to stop in after a lease that another worker may already have. */
const LOST_STOP_MS = 1_000;
/** The same at the end of the attempt's own time. */
const TIMED_OUT_STOP_MS = 10_000;
/** The reason at the end of that time. */
const TIME_OVER = 'timed_out';

/** The reason why the signal of an attempt aborts. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor(
    /**
     * `lost`: nobody waits for an outcome of work that is broken off. `left`: the worker ends, and
     * another process goes on with the work, which is not to be touched.
     */
    readonly kind: 'cancelled' | 'left' | 'lost',
    /** Such as `rolled_back`, as the gateway names it. */
    readonly reason: string,
    /** Milliseconds until the work must have ended. */
    readonly withinMs: number,
  ) {
    super(`stopped: ${reason}`);
  }

  /** The time of the attempt is over. */
  get isTimeOver(): boolean {
    return this.reason === TIME_OVER && this.kind === 'cancelled';
  }
}

/** The clock of an attempt, and its beginning. */
interface AttemptOptions {
  readonly clock: Clock;
  /** When the request was sent that brought the item, on the monotonic clock. */
  readonly askedAt: number;
}

/**
 * One action in the hands of this worker. Its lease is counted from the sending of the request that
 * granted it, so the gateway never ends it before the worker does.
 */
export class Attempt {
  readonly log = new AttemptLog();
  readonly #abort = new AbortController();
  readonly #held: Promise<void>;
  #setHeld: () => void = () => {};
  #lease: { readonly from: number; readonly ms: number };
  #leaseEnd: Timer | undefined;
  #timeEnd: Timer | undefined;
  #progress: Progress | undefined;
  /** The next heartbeat, on the monotonic clock. */
  beatAt: number;

  constructor(
    readonly item: WorkItem,
    private readonly options: AttemptOptions,
  ) {
    const { askedAt, clock } = options;
    this.#held = new Promise((resolve) => (this.#setHeld = resolve));
    this.#lease = { from: askedAt, ms: item.leaseMs };
    this.beatAt = item.confirm ? clock.monotonic() : askedAt + this.beatMs;
    this.#watchLease();
    const { attemptTimeLeftMs } = item;
    if (!Number.isFinite(attemptTimeLeftMs)) return;
    const leftMs = attemptTimeLeftMs - this.ageMs;
    const over = new Stopped('cancelled', TIME_OVER, TIMED_OUT_STOP_MS);
    this.#timeEnd = clock.after(Math.max(0, leftMs), () => this.stop(over));
  }

  /** Aborts with a `Stopped` when the work has to end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Set once the work has to end. */
  get stopped(): Stopped | undefined {
    return this.signal.aborted ? (this.signal.reason as Stopped) : undefined;
  }

  /** Milliseconds since it was asked for. */
  get ageMs(): number {
    return this.options.clock.monotonic() - this.options.askedAt;
  }

  get leaseMs(): number {
    return this.#lease.ms;
  }

  /** The time between two heartbeats, in milliseconds. */
  get beatMs(): number {
    return Math.min(this.#lease.ms / 3, BEAT_MS_MAX);
  }

  /** Resolves once a heartbeat was answered with `held`. Rejects with the `Stopped` before it. */
  async held(): Promise<void> {
    const { signal } = this;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Stopped);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      void this.#held.then(resolve);
    });
  }

  /** Adds a line to the log that the gateway keeps with the attempt. */
  say(message: string, level?: LineLevel): void {
    this.log.add(message, this.options.clock.monotonic(), level);
  }

  /** Replaces how far the attempt is. The newest report goes with the next heartbeat. */
  report(progress: Progress): void {
    this.#progress = progress;
  }

  /** The newest report that no heartbeat has carried. */
  takeProgress(): Progress | undefined {
    const progress = this.#progress;
    this.#progress = undefined;
    return progress;
  }

  /** Gives back a report that no heartbeat delivered; a newer one replaces it. */
  putBackProgress(progress: Progress | undefined): void {
    this.#progress ??= progress;
  }

  /** The gateway holds the claim for this worker. */
  hold(askedAt: number, leaseMs: number): void {
    this.#lease = { from: askedAt, ms: leaseMs };
    this.beatAt = askedAt + this.beatMs;
    this.#watchLease();
    this.#setHeld();
  }

  /** The gateway wants the work to end by a moment on the monotonic clock. */
  cancel(reason: string, stopAt: number): void {
    const withinMs = Math.max(0, stopAt - this.options.clock.monotonic());
    this.stop(new Stopped('cancelled', reason, withinMs));
  }

  /** The claim is no longer this worker's. */
  lose(reason: string): void {
    this.stop(new Stopped('lost', reason, LOST_STOP_MS));
  }

  /** The first reason counts. */
  stop(reason: Stopped): void {
    this.#abort.abort(reason);
  }

  /** Ends its timers. */
  close(): void {
    this.#leaseEnd?.cancel();
    this.#timeEnd?.cancel();
  }

  #watchLease(): void {
    const { clock } = this.options;
    const { from, ms } = this.#lease;
    this.#leaseEnd?.cancel();
    const leftMs = from + ms * UNHEARD_SHARE - clock.monotonic();
    const restMs = ms - ms * UNHEARD_SHARE;
    const over = new Stopped('lost', 'no heartbeat was answered in time', restMs);
    this.#leaseEnd = clock.after(Math.max(0, leftMs), () => this.stop(over));
  }
}
