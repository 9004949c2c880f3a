import type { AbortSignalLike } from './abort.js';
import type { Clock } from './clock.js';

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
