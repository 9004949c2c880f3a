import type { FlowDefinition, StepPlan } from '#core';
import type { LockPlan } from '#core/flow';
import type { SeededRandom } from '../trial/seeded-random.js';

/** How many tasks may hold a lock at a time, by its name. */
export function slotsOf(name: string): number {
  return name === 'two' || name.endsWith('b') ? 2 : 1;
}

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
  return { name, slots: slotsOf(name) };
}

/** Where in a program a list of steps lies. */
interface Level {
  /** The first letter of its names: what others run as child tasks has names of its own. */
  readonly family: 'p' | 'c';
  readonly depth: number;
  /** Share of the steps that have locks. */
  readonly share: number;
  /** The lock of the whole task; null: it has none. */
  readonly whole: string | null;
}

/**
 * Gives a program locks: as a whole, and of steps wherever they stand, one or two each. The names
 * say how deep a step lies: a holder of a lock waits only for those of names further down, which
 * child tasks have as well, so that no two tasks wait for each other for ever.
 */
export function withProgramLocks(
  random: SeededRandom,
  flow: FlowDefinition,
  isChild: boolean,
): FlowDefinition {
  const family = isChild ? 'c' : 'p';
  const whole = random.next() < 0.4 ? `${family}-whole` : null;
  const level = { family, depth: 0, share: random.pick([0.15, 0.3, 0.6]), whole } as const;
  const steps = lockedSteps(random, flow.steps, level);
  return { ...flow, steps, ...(whole !== null && { locks: [lockCalled(whole)] }) };
}

function lockedSteps(
  random: SeededRandom,
  steps: readonly StepPlan[],
  level: Level,
): readonly StepPlan[] {
  return steps.map((step): StepPlan => {
    const locks = random.next() < level.share ? { locks: locksAt(random, level) } : {};
    return { ...lockedInside(random, step, { ...level, depth: level.depth + 1 }), ...locks };
  });
}

/** The locks of a step: one, both of its level, or the one that its whole task holds already. */
function locksAt(random: SeededRandom, { depth, family, whole }: Level): readonly LockPlan[] {
  const [one, two] = ['a', 'b'].map((end) => lockCalled(`${family}${depth}${end}`));
  const drawn = random.next();
  if (drawn < 0.4) return [one!];
  if (drawn < 0.7) return [two!];
  if (drawn < 0.9 || whole === null) return [one!, two!];
  return [lockCalled(whole)];
}

/** The step, with locks of the steps that it holds. */
function lockedInside(random: SeededRandom, step: StepPlan, level: Level): StepPlan {
  const inner = <T extends { readonly steps: readonly StepPlan[] }>(list: T): T => {
    return { ...list, steps: lockedSteps(random, list.steps, level) };
  };
  const own = step.catch === undefined ? step : { ...step, catch: step.catch.map(inner) };
  if (own.group !== undefined) {
    return { ...own, group: lockedSteps(random, own.group, level) };
  }
  if (own.choice !== undefined) {
    const { choice, otherwise } = own;
    const rest = otherwise === null ? null : lockedSteps(random, otherwise, level);
    return { ...own, choice: choice.map(inner), otherwise: rest };
  }
  if (own.parallel !== undefined) return { ...own, parallel: own.parallel.map(inner) };
  if (own.loop !== undefined) return { ...own, loop: inner(own.loop) };
  if (own.foreach === undefined || own.foreach.steps === null) return own;
  // Its steps are of child tasks, which do not have the lock of the whole of their parent.
  const steps = lockedSteps(random, own.foreach.steps, { ...level, whole: null });
  return { ...own, foreach: { ...own.foreach, steps } };
}
