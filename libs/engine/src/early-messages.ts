import { growingDelay, type Task } from '#core';
import type { Clock, TaskStore } from '#ports';

/**
 * A message may leave right before the write that it tells of, so that neither waits for the other.
 * It is mostly there first. Its receiver waits for the write, for so long; the sender of a write
 * that took longer than half of that sends the message once more.
 */
const PATIENCE_MS = 64;

/** The waits between two looks for the write, in milliseconds. */
const WAITS = { firstMs: 2, maxMs: PATIENCE_MS };

/** A message that left as long before its write was known to be stored may have been dropped. */
export const EARLY_MAX_MS = PATIENCE_MS / 2;

/**
 * The task as stored now, or null. Where that is older than a message said, its write may be on its
 * way: it is read again, until it has that revision or the receiver's patience is over. Throws what
 * `get` throws.
 */
export async function readAtLeast(
  { clock, store }: { readonly clock: Clock; readonly store: Pick<TaskStore, 'get'> },
  taskId: string,
  revision: number,
): Promise<Task | null> {
  const until = clock.monotonic() + PATIENCE_MS;
  for (let nth = 1; ; nth += 1) {
    const isLast = clock.monotonic() >= until;
    const found = await store.get(taskId);
    if (isLast || found === null || found.revision >= revision) return found;
    await clock.sleep(growingDelay(WAITS, nth));
  }
}
