import type { Answer, Question } from '#core';
import type { Evaluator } from '#ports';
import { answerPlainly } from '#testing';
import type { SimProcess } from './sim-process.js';

/** An evaluator that takes its time, and at times has no answer. */
export class SimEvaluator implements Evaluator {
  constructor(private readonly process: SimProcess) {}

  answer({ members, scene }: Question): Promise<Answer> {
    const { process } = this;
    const { world } = process;
    return new Promise((resolve, reject) => {
      if (!process.alive) return;
      if (world.strikes('evaluatorFails')) {
        world.see('evaluator had no answer');
        process.later(5, () => reject(new Error('the evaluator has ended')));
        return;
      }
      process.later(world.random.between(1, 8), () => resolve(answerPlainly(members, scene)));
    });
  }
}
