import type { StepPlan } from './flow.js';

/** The dependency graph of a flow's steps, by position. */
export interface StepGraph {
  /** For each step, the steps that need it directly. */
  readonly dependents: readonly (readonly number[])[];
  /**
   * All steps, each after everything it needs. Shorter than the list of steps when there is a
   * cycle.
   */
  readonly order: readonly number[];
  /** For each step, everything it needs, directly or not, in `order`. */
  readonly ancestors: readonly (readonly number[])[];
}

// Steps are immutable and shared by all tasks of a flow version, so their graph is worked out once.
const known = new WeakMap<readonly StepPlan[], StepGraph>();

/** The graph of these steps. */
export function graphOf(steps: readonly StepPlan[]): StepGraph {
  const found = known.get(steps);
  if (found !== undefined) return found;
  const graph = buildGraph(steps);
  known.set(steps, graph);
  return graph;
}

function buildGraph(steps: readonly StepPlan[]): StepGraph {
  const dependents: number[][] = steps.map(() => []);
  steps.forEach((step, index) => {
    for (const need of step.needs) dependents[need]?.push(index);
  });
  const order = sortByNeeds(steps, dependents);
  const ancestors: (readonly number[])[] = steps.map(() => []);
  const rank = new Map(order.map((index, position) => [index, position]));
  for (const index of order) {
    const all = new Set<number>();
    for (const need of steps[index]?.needs ?? []) {
      all.add(need);
      for (const further of ancestors[need] ?? []) all.add(further);
    }
    ancestors[index] = [...all].sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  }
  return { dependents, order, ancestors };
}

function sortByNeeds(steps: readonly StepPlan[], dependents: readonly number[][]): number[] {
  const missing = steps.map((step) => step.needs.length);
  const ready = steps.flatMap((step, index) => (step.needs.length === 0 ? [index] : []));
  const order: number[] = [];
  for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
    order.push(next);
    for (const dependent of dependents[next] ?? []) {
      missing[dependent] = (missing[dependent] ?? 0) - 1;
      if (missing[dependent] === 0) ready.push(dependent);
    }
  }
  return order;
}
