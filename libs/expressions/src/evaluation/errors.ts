/**
 * Expressions cannot be evaluated now, which says nothing about any of them: no process for it
 * starts, or it was ended from outside. Never turned into a task's failure.
 */
export class EvaluatorUnavailable extends Error {
  override readonly name = 'EvaluatorUnavailable';
}
