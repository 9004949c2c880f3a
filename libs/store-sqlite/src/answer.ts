/** Why a request failed. */
export interface Failure {
  /**
   * `unavailable`: the file cannot be written or read now. `damaged`: it is damaged, or not this
   * process's own any more, and nothing is read or written again. `refused`: this very request
   * cannot be carried out.
   */
  readonly failure: 'unavailable' | 'damaged' | 'refused';
  readonly message: string;
}

/** An answer: the request's own, or a failure. */
export type Answer = unknown;

/** Whether an answer is a failure. */
export function isFailure(answer: Answer): answer is Failure {
  return typeof answer === 'object' && answer !== null && 'failure' in answer;
}
