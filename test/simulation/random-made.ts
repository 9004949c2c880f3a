import type { FlowDefinition, JsonValue, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/**
 * Has some groups of a flow be steps that appear while its tasks run, as one try of them. The
 * condition beside them has them asked about. `kept`: the share of the groups that stay what they
 * are.
 */
export function withMade(random: SeededRandom, flow: FlowDefinition, kept = 0.3): FlowDefinition {
  return { ...flow, steps: flow.steps.map((step) => madeOf(random, step, kept)) };
}

function madeOf(random: SeededRandom, step: StepPlan, kept: number): StepPlan {
  const all = (steps: readonly StepPlan[]): readonly StepPlan[] => {
    return steps.map((inner) => madeOf(random, inner, kept));
  };
  if (step.group !== undefined) {
    const { group, retry, timeoutMs: _timeoutMs, ...rest } = step;
    if ('forEach' in retry || random.next() < kept) return { ...step, group: all(group) };
    const steps = all(group) as unknown as JsonValue;
    return { ...rest, if: step.if ?? '{% yes %}', dynamic: { steps } };
  }
  if (step.loop !== undefined) {
    return { ...step, loop: { ...step.loop, steps: all(step.loop.steps) } };
  }
  if (step.parallel !== undefined) {
    const parallel = step.parallel.map(({ name, steps }) => ({ name, steps: all(steps) }));
    return { ...step, parallel };
  }
  return step;
}
