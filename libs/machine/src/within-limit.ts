import type { Clock } from '#ports';

/** A signal and the right to abort it. */
export interface Abort {
  readonly signal: AbortSignal;
  /** The first reason counts. */
  abort(reason: Error): void;
}

/** How long a wait for something outside may take, and what else ends it. */
export interface WaitLimit {
  readonly clock: Pick<Clock, 'after'>;
  /** Milliseconds. */
  readonly ms: number;
  /** Ends the wait earlier, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The outside did not answer within the limit. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly code = 'NO_ANSWER';

  constructor(ms: number) {
    super(`no answer within ${ms / 1_000} s`);
  }
}

/**
 * Runs work that waits for the outside. Rejects with `NoAnswer` when the limit is over, or with the
 * signal's reason when that aborts, also where the work itself never settles. The signal that the
 * work is given aborts when the wait ends, however it ends, so nothing that the work left open,
 * such as an unread body, outlives it.
 *
 * Node 20 may collect a signal of `AbortSignal.timeout` or `AbortSignal.any` that nothing but a
 * request holds, which then never fires. Here the timer holds the controller.
 */
export async function withinLimit<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, ms, signal }: WaitLimit,
): Promise<T> {
  const ending = new AbortController();
  const timer = clock.after(ms, () => ending.abort(new NoAnswer(ms)));
  const follow = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  if (signal?.aborted === true) follow();
  try {
    ending.signal.throwIfAborted();
    return await abortable(work(ending.signal), ending.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', follow);
    ending.abort();
  }
}

/**
 * The result of a promise, or the signal's reason as soon as it aborts. A request is given the
 * signal too, but Node 20 may forget that when memory is collected while an answer is awaited.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * A signal of the platform's own kind. It is made when it is first asked for: one costs more
 * than a command that does not wait.
 */
export function createAbort(): Abort {
  return new LazyAbort();
}

class LazyAbort implements Abort {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
