import type { FlowDefinition, LockPlan, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/** How many tasks may hold each lock at a time, by its name. */
export const SLOTS: Readonly<Record<string, number>> = { whole: 1, one: 1, two: 2 };

/**
 * Gives a flow locks: as a whole, or of some of its own steps. Nobody who holds the lock of a step
 * waits for another one, so that no two tasks wait for each other for ever.
 */
export function withLocks(random: SeededRandom, flow: FlowDefinition): FlowDefinition {
  const isWhole = random.next() < 0.5;
  const share = random.pick([0, 0.4, 1]);
  const steps = flow.steps.map((step): StepPlan => {
    if (random.next() >= share) return step;
    // A step may name the lock of its whole task, which holds it already.
    const names = isWhole ? ['one', 'two', 'whole'] : ['one', 'two'];
    return { ...step, locks: [lockCalled(random.pick(names))] };
  });
  return { ...flow, steps, ...(isWhole && { locks: [lockCalled('whole')] }) };
}

function lockCalled(name: string): LockPlan {
  return { name, slots: SLOTS[name] ?? 1 };
}
