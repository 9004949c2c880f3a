import type { Answer, Question } from '#core';

/**
 * Works out what the expressions of a question stand for. Safe to ask again: an answer depends on
 * its question alone, and where it comes to steps, on the commands that there are.
 */
export interface Evaluator {
  /**
   * Evaluates the members of a question. Faults of an expression are part of the answer. Rejects
   * where no answer can be had now, which is never the fault of the expression.
   */
  answer(question: Question): Promise<Answer>;
}
