/** How urgent a message is, as far as a broker is told. */
export type PriorityClass = 'high' | 'normal' | 'low';

/** All classes, the most urgent first. */
export const PRIORITY_CLASSES: readonly PriorityClass[] = ['high', 'normal', 'low'];

/**
 * The queues that a module may have: one for each class, and one that keeps nothing, whose messages
 * go to a process that has a slot for them at once, or on to the queue of class *normal*.
 */
export type QueueKind = PriorityClass | 'immediate';

/** Class of a head start in seconds: of more than 0, of none, of less. */
export function classOf(priority: number): PriorityClass {
  if (priority === 0) return 'normal';
  return priority > 0 ? 'high' : 'low';
}
