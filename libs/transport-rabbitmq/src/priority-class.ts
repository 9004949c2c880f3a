/** How urgent a message is, as far as a broker is told. */
export type PriorityClass = 'high' | 'normal' | 'low';

/** All classes, the most urgent first. */
export const PRIORITY_CLASSES: readonly PriorityClass[] = ['high', 'normal', 'low'];

/** Class of a head start in seconds: of more than 0, of none, of less. */
export function classOf(priority: number): PriorityClass {
  if (priority === 0) return 'normal';
  return priority > 0 ? 'high' : 'low';
}
