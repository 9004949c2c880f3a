import type { StepPlan } from './flow.js';
import { innerLists } from './plan-lists.js';

/** The dependency graph of a list of steps, by position. */
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

/** Most ancestors of a step that are kept: all of a long flow would be as many as its square. */
const NEAR_MAX = 64;

// Steps are immutable and shared by all tasks of a flow version.
const programs = new WeakMap<readonly StepPlan[], FlowProgram>();

/**
 * Everything that follows from a list of steps alone. It is worked out once, when it is first asked
 * for, and shared by all tasks that have the list.
 */
export class FlowProgram {
  readonly #near: (readonly number[] | undefined)[] = [];
  readonly #kept = new Map<(steps: readonly StepPlan[]) => unknown, unknown>();
  #graph: StepGraph | null = null;
  #positions: ReadonlyMap<string, number> | null = null;
  #count: number | null = null;

  private constructor(private readonly steps: readonly StepPlan[]) {}

  /** The program of a list; the same object each time. */
  static of(steps: readonly StepPlan[]): FlowProgram {
    let program = programs.get(steps);
    if (program === undefined) {
      program = new FlowProgram(steps);
      programs.set(steps, program);
    }
    return program;
  }

  /** The graph of the steps. */
  get graph(): StepGraph {
    this.#graph ??= buildGraph(this.steps);
    return this.#graph;
  }

  /** Positions of the steps by their names. */
  get positions(): ReadonlyMap<string, number> {
    this.#positions ??= new Map(this.steps.map(({ name }, position) => [name, position]));
    return this.#positions;
  }

  /** How many steps there are, those in steps included. */
  get count(): number {
    this.#count ??= this.steps
      .flatMap(innerLists)
      .reduce((sum, inner) => sum + FlowProgram.of(inner).count, this.steps.length);
    return this.#count;
  }

  /** Everything that a step needs, directly or not, in the graph's order. */
  ancestorsOf(step: number): readonly number[] {
    const known = this.#near[step];
    if (known !== undefined) return known;
    const found = findAncestors(this.steps, step, this.graph);
    if (found.length <= NEAR_MAX) this.#near[step] = found;
    return found;
  }

  /**
   * The result of a function of the steps, which other parts of the core keep here; called once.
   * One that makes a new function for each call keeps nothing.
   */
  kept<T>(work: (steps: readonly StepPlan[]) => T): T {
    const known = this.#kept.get(work) as T | undefined;
    if (known !== undefined) return known;
    const made = work(this.steps);
    this.#kept.set(work, made);
    return made;
  }
}

/** The graph of these steps. */
export function graphOf(steps: readonly StepPlan[]): StepGraph {
  return FlowProgram.of(steps).graph;
}

/** Everything that a step needs, directly or not, in the graph's order. */
export function ancestorsOf(steps: readonly StepPlan[], step: number): readonly number[] {
  return FlowProgram.of(steps).ancestorsOf(step);
}

/** How many steps a list has, those in its steps included. */
export function countSteps(steps: readonly StepPlan[]): number {
  return FlowProgram.of(steps).count;
}

function findAncestors(
  steps: readonly StepPlan[],
  step: number,
  { order, rank }: StepGraph,
): readonly number[] {
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
  return found.reverse();
}

function buildGraph(steps: readonly StepPlan[]): StepGraph {
  const dependents: number[][] = steps.map(() => []);
  steps.forEach((step, index) => {
    for (const need of step.needs) dependents[need]?.push(index);
  });
  const roots = steps.flatMap((step, index) => (step.needs.length === 0 ? [index] : []));
  const order = sortByNeeds(steps, { dependents, roots });
  const rank = steps.map(() => 0);
  order.forEach((index, position) => (rank[index] = position));
  return { roots, dependents, order, rank };
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
