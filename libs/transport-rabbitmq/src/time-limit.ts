import { TransportUnavailable, type Clock } from '#ports';

/** The work's value, or `TransportUnavailable` when it takes longer than `ms`; the work goes on. */
export function limited<T>(work: Promise<T>, what: string, limit: Limit): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = limit.clock.after(limit.ms, () => {
      reject(new TransportUnavailable(`The broker did not answer within ${limit.ms} ms: ${what}.`));
    });
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Waits for the work, but no longer than `ms`, and does not care how it ends. */
export async function settled(work: Promise<unknown>, limit: Limit): Promise<void> {
  await limited(work, 'ending', limit).catch(() => undefined);
}

/** How long something may take. */
export interface Limit {
  readonly clock: Clock;
  readonly ms: number;
}
