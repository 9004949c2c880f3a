import type { AbortSignalLike, Clock, Timer } from '#ports';

/** The machine's clock, for tests that talk to real servers. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  after(ms: number, fire: () => void): Timer {
    const timer = setTimeout(fire, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const timer = this.after(ms, resolve);
      const wake = (): void => {
        timer.cancel();
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
