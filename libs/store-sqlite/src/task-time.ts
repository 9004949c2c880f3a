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
