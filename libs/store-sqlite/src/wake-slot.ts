/** Milliseconds that tasks due within them share one place in the index. */
const SLOT_MS = 1_024;

/**
 * The stretch of time that a moment lies in. Only the slot is indexed: the many commits that move a
 * task's `wakeAt` by less than a second leave the index as it is.
 */
export function wakeSlot(moment: number | null): number | null {
  return moment === null ? null : Math.floor(moment / SLOT_MS);
}
