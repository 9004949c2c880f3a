import type { Answer, Question } from '#core';
import type { AbortSignalLike } from './time-and-chance.js';

/**
 * Works out what the expressions of a question stand for. Safe to ask again: an answer depends on
 * its question alone, and where it comes to steps, on the commands that there are.
 */
export interface Evaluator {
  /**
   * Evaluates the members of a question. Faults of an expression are part of the answer. Rejects
   * where no answer can be had now, which is never the fault of the expression. A question with
   * `draft` is one that a request alone waits for, and no task: it stands back behind those of
   * tasks, and is given up once that is aborted. All questions of one request bring the same one.
   */
  answer(question: Question, draft?: AbortSignalLike): Promise<Answer>;
}
