/** A timer that can be called off. Calling it off after it fired does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. Processes that share a store share the time of day of its clock; what
 * else they take time from is their own.
 */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Milliseconds from a fixed but arbitrary point, never going back; for measuring. */
  monotonic(): number;
  /**
   * Calls `fire` once, `ms` from now (also when that is longer than 24 days). A timer never keeps
   * the process alive.
   */
  after(ms: number, fire: () => void): Timer;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
}

/** How far a clock may be set forward, in milliseconds, before removals take no notice of it. */
const FORWARD_MAX_MS = 3_600_000;

/**
 * The time of day for whatever removes by age: it is that of the clock, unless this was set forward
 * since by more than clocks are corrected by.
 */
export function timeOfRemovals(clock: Pick<Clock, 'monotonic' | 'now'>): () => number {
  const aheadMs = clock.now() - clock.monotonic() + FORWARD_MAX_MS;
  return () => Math.min(clock.now(), clock.monotonic() + aheadMs);
}

/** The members of an `AbortSignal` that Backstep uses; a platform's own signal fits. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** How long something may take. */
export interface TimeLimit {
  readonly clock: Pick<Clock, 'after'>;
  /** Milliseconds. */
  readonly ms: number;
}

/**
 * A place among ids, as text: those of one time lie side by side, in the order of their numbers. A
 * store finds and writes ids that lie side by side at a fraction of the cost of scattered ones.
 */
export interface IdPlace {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Default: 0. Only its lowest 18 bits count. */
  readonly number?: number;
}

/** The only source of chance. */
export interface Entropy {
  /** A new globally unique id, increasing with time of creation as text. */
  newId(): string;
  /**
   * The id that belongs to a text at a place: the same for the same text and place, and in practice
   * for no other text. Default: any place.
   */
  idOf(text: string, place?: IdPlace): string;
  /** A number in [0, 1). */
  random(): number;
}

/**
 * Implements `sleep` on any clock that has `after`: resolves after `ms`, or at once when the signal
 * aborts. For the adapters of {@link Clock}; others call their clock's `sleep`.
 */
export function sleepOn(
  clock: Pick<Clock, 'after'>,
  ms: number,
  signal?: AbortSignalLike,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const wake = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = clock.after(ms, wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

/** The work's value, or the error of `late` where it takes longer; the work itself goes on. */
export function limited<T>(
  work: PromiseLike<T>,
  { clock, ms }: TimeLimit,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(late()));
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}

/** Whether the work ends within the limit. Rejects where it fails by then. */
export function endsWithin(work: PromiseLike<unknown>, { clock, ms }: TimeLimit): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => resolve(false));
    void Promise.resolve(work)
      .then(() => resolve(true), reject)
      .finally(() => timer.cancel());
  });
}
