import type { StepOf, RetryPolicy, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/** Groups lie in groups down to this depth. */
const DEPTH_MAX = 4;

/** Most steps that lie in groups of one flow, so that a history is not much longer than others. */
const STEPS_MAX = 8;

/** Makes the steps that lie in groups, and what waits between their tries. */
export interface StepMaker {
  readonly step: (index: number, isChain: boolean) => StepPlan;
  readonly retry: () => RetryPolicy;
}

/** Takes some steps of a flow, or all, and puts a group in the place of each. */
export function withGroups(
  random: SeededRandom,
  steps: readonly StepPlan[],
  maker: StepMaker,
): readonly StepPlan[] {
  const groups = new RandomGroups(random, maker);
  const share = random.pick([0.3, 0.3, 1]);
  const first = random.between(0, steps.length - 1);
  return steps.map((step, index) => {
    const isGroup = index === first || random.next() < share;
    return isGroup ? groups.group(step, 1) : step;
  });
}

/** Draws the groups of one flow. */
class RandomGroups {
  private left = STEPS_MAX;
  /** As deep as can be, or as it comes. */
  private readonly nesting: number;

  constructor(
    private readonly random: SeededRandom,
    private readonly maker: StepMaker,
  ) {
    this.nesting = random.pick([0.15, 0.15, 0.9]);
  }

  /** A group with the name and the needs of a step. */
  group({ name, needs }: StepPlan, depth: number): StepOf<'group'> {
    const { maker, random } = this;
    const count = Math.min(random.between(1, 3), Math.max(1, this.left));
    const isChain = random.next() < 0.6;
    const group: StepPlan[] = [];
    for (let index = 0; index < count; index += 1) {
      const step = maker.step(index, isChain);
      const isGroup = depth < DEPTH_MAX && this.left > 1 && random.next() < this.nesting;
      if (!isGroup) this.left -= 1;
      group.push(isGroup ? this.group(step, depth + 1) : step);
    }
    const retry = { ...maker.retry(), attempts: random.pick([1, 2, 2, 4]) };
    const timeoutMs = random.pick([null, null, null, 4_000, 40_000]);
    return { name, needs, group, retry, timeoutMs };
  }
}
