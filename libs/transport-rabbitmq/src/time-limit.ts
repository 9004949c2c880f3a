import { endsWithin, limited, TransportUnavailable, type TimeLimit } from '#ports';

/** The broker's answer, or `TransportUnavailable` when it takes longer than the limit. */
export function brokerAnswer<T>(work: PromiseLike<T>, what: string, limit: TimeLimit): Promise<T> {
  return limited(work, limit, () => {
    return new TransportUnavailable(`The broker did not answer within ${limit.ms} ms: ${what}.`);
  });
}

/** Waits for the work, but no longer than the limit, and does not care how it ends. */
export async function settled(work: PromiseLike<unknown>, limit: TimeLimit): Promise<void> {
  await endsWithin(work, limit).catch(() => false);
}
