import type { Clock } from './clock.js';

/** How long something may take. */
export interface TimeLimit {
  readonly clock: Pick<Clock, 'after'>;
  /** Milliseconds. */
  readonly ms: number;
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
