import type { StepPlan } from './flow.js';

/** The dependency graph of a flow's steps, by position. */
interface StepGraph {
  /** The steps that need none. */
  readonly roots: readonly number[];
  /** For each step, the steps that need it directly, the first one first. */
  readonly dependents: readonly (readonly number[])[];
  /**
   * All steps, each after everything it needs. Shorter than the list of steps when there is a
   * cycle.
   */
  readonly order: readonly number[];
  /** For each step its place in `order`. */
  readonly rank: readonly number[];
}

interface KnownGraph extends StepGraph {
  /** Ancestors of steps that have at most `NEAR_MAX` of them, cached when first asked for. */
  readonly near: (readonly number[] | undefined)[];
}

/** Most steps of a list that is kept: all lists of a long flow would be as many as its square. */
const NEAR_MAX = 64;

// Steps are immutable and shared by all tasks of a flow version, so their graph is worked out once.
const known = new WeakMap<readonly StepPlan[], KnownGraph>();

/** The graph of these steps. */
export function graphOf(steps: readonly StepPlan[]): StepGraph {
  return knownGraph(steps);
}

function knownGraph(steps: readonly StepPlan[]): KnownGraph {
  const found = known.get(steps);
  if (found !== undefined) return found;
  const graph = buildGraph(steps);
  known.set(steps, graph);
  return graph;
}

/** Everything that a step needs, directly or not, in the graph's order. */
export function ancestorsOf(steps: readonly StepPlan[], step: number): readonly number[] {
  const { near, order, rank } = knownGraph(steps);
  const known = near[step];
  if (known !== undefined) return known;
  const isNeeded = new Uint8Array(steps.length);
  const mark = (index: number): void => {
    for (const need of steps[index]?.needs ?? []) isNeeded[need] = 1;
  };
  mark(step);
  const found: number[] = [];
  for (let position = (rank[step] ?? 0) - 1; position >= 0; position -= 1) {
    const index = order[position] ?? 0;
    if (isNeeded[index] !== 1) continue;
    found.push(index);
    mark(index);
  }
  found.reverse();
  if (found.length <= NEAR_MAX) near[step] = found;
  return found;
}

function buildGraph(steps: readonly StepPlan[]): KnownGraph {
  const dependents: number[][] = steps.map(() => []);
  steps.forEach((step, index) => {
    for (const need of step.needs) dependents[need]?.push(index);
  });
  const roots = steps.flatMap((step, index) => (step.needs.length === 0 ? [index] : []));
  const order = sortByNeeds(steps, { dependents, roots });
  const rank = steps.map(() => 0);
  order.forEach((index, position) => (rank[index] = position));
  return { roots, dependents, order, rank, near: [] };
}

function sortByNeeds(
  steps: readonly StepPlan[],
  { dependents, roots }: Pick<StepGraph, 'dependents' | 'roots'>,
): readonly number[] {
  const missing = steps.map((step) => step.needs.length);
  const order = [...roots];
  for (const next of order) {
    for (const dependent of dependents[next] ?? []) {
      missing[dependent] = (missing[dependent] ?? 0) - 1;
      if (missing[dependent] === 0) order.push(dependent);
    }
  }
  return order;
}
