import type { Clock } from '#ports';

/** The server did not answer one operation in time. The outcome of the operation is unknown. */
export class OperationTimeout extends Error {
  override readonly name = 'OperationTimeout';
}

/** How long to wait, and by which clock. */
interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
}

/**
 * The operation's result, or `OperationTimeout`. The driver has no time limit of its own that holds
 * against a frozen server: 7.8 ignores `timeoutMS`, and the limits of socket and server selection
 * add up over its retries.
 */
export function within<T>(operation: () => Promise<T>, deadline: Deadline): Promise<T> {
  const { clock, ms } = deadline;
  return new Promise<T>((resolve, reject) => {
    const timer = clock.after(ms, () => {
      reject(new OperationTimeout(`no answer within ${Math.round(ms)} ms`));
    });
    const done = (): void => timer.cancel();
    operation().finally(done).then(resolve, reject);
  });
}
