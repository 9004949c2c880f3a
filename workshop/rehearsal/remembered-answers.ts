import type { Answer, Question } from '#core';
import type { Evaluator } from '#ports';

/** An evaluator that is asked once for each question: an answer depends on its question alone. */
export class RememberedAnswers implements Evaluator {
  readonly #answers = new Map<string, Promise<Answer>>();

  constructor(private readonly evaluator: Evaluator) {}

  answer(question: Question): Promise<Answer> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.evaluator.answer(question);
    this.#answers.set(key, answer);
    return answer;
  }
}
