/**
 * The order time of what is queued at a moment of the task's own: when it was created, when a step
 * succeeded, when a person acted. `at`: milliseconds since 1970; `priority`: seconds of head start,
 * less than 0 to stand back. An action that is queued again after a failure has no head start: its
 * order time is the moment of the failure plus the wait after it.
 */
export function orderTime(at: number, priority: number): number {
  return at - priority * 1_000;
}
