import type { FlowDefinition, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';
import type { ActionMaker } from './random-program.js';

/**
 * Puts a list before everything else of a flow: some of its items are likely to fail while others
 * succeed, and has the flow wait for a person then.
 */
export function withList(
  random: SeededRandom,
  { steps, ...flow }: FlowDefinition,
  { action }: ActionMaker,
): FlowDefinition {
  const count = random.between(2, 5);
  const part = { name: 'part', needs: [], normal: action('do'), rollback: action('undo') };
  const fragile = { ...part.normal, retry: { ...part.normal.retry, attempts: 1 } };
  const list: StepPlan = {
    name: 'list',
    needs: [],
    foreach: {
      in: Array.from({ length: count }, (_, index) => `item-${index}`),
      as: 'item',
      concurrency: random.pick([1, 2, 10]),
      successPercent: random.pick([100, 100, 75]),
      steps: [{ ...part, normal: fragile }],
      flow: null,
      parameters: null,
    },
  };
  const moved = steps.map((step) => ({ ...step, needs: needsBehind(step.needs) }));
  return { ...flow, onFailure: { holdMs: null }, steps: [list, ...moved] };
}

/** Positions one further on; what needed nothing comes after the list. */
function needsBehind(needs: readonly number[]): readonly number[] {
  return needs.length === 0 ? [0] : needs.map((need) => need + 1);
}
