import type { JournalEntry, Task } from '#core';
import type { Distribution } from './metric-family.js';

/** Counts how long the locks were waited for that were had with this entry. */
export function countTickets(waits: Distribution, { locks }: Task, entry: JournalEntry): void {
  const { at, run, step } = entry;
  const ticket = locks.find((one) => {
    const isSame = step === undefined ? one.step === null : one.run === (run ?? step);
    return isSame && one.heldAt === at;
  });
  if (ticket !== undefined) waits.observe((at - ticket.since) / 1_000);
}
