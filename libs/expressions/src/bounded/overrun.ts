/** How long one piece of work has lasted, and how much of the processor it has had, in ms. */
interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

/**
 * Whether a piece of work has used up its time. Both count: on a busy machine it lasts long without
 * having had the processor, and where the time of all threads is all that is known, it has had more
 * processor time than has passed.
 */
export function isOverrun({ processorMs, wallMs }: Spent, ownTimeMs: number): boolean {
  return wallMs >= ownTimeMs && processorMs >= ownTimeMs;
}
