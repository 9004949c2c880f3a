/** Milliseconds that tasks due within them share one place in the index. */
const SLOT_MS = 1_024;

/**
 * A moment as a task's texts have it: milliseconds since the task's creation. A small number is
 * written several times faster than a large one, and takes less room.
 */
export function toTaskTime(moment: number | null, createdAt: number): number | null {
  return moment === null ? null : moment - createdAt;
}

/** The moment that {@link toTaskTime} made small. */
export function fromTaskTime(time: number | null, createdAt: number): number | null {
  // A value that is no number stays so: a text would else grow into one that looks like a moment.
  return typeof time === 'number' ? time + createdAt : time;
}

/**
 * The stretch of time that a moment lies in. Only the slot is indexed: the many commits that move a
 * task's `wakeAt` by less than a second leave the index as it is.
 */
export function wakeSlot(moment: number | null): number | null {
  return moment === null ? null : Math.floor(moment / SLOT_MS);
}
