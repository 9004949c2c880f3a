import type { StepNames } from '../names.js';
import type { Target } from '../target.js';
import { codeOf, type Data } from './data.js';
import type { StateGraph } from './state-graph.js';

/** The document and the variables at a place of a machine. */
export interface Known {
  readonly data: Data;
  /** Variables of `Assign`. */
  readonly variables: ReadonlyMap<string, Data>;
}

/** The context of the states of a machine, or of a branch or iteration in it. */
export interface Scope {
  readonly target: Target;
  readonly names: StepNames;
  readonly graph: StateGraph;
  /** Where the scope is a branch: an early end would end the whole task. */
  readonly isBranch: boolean;
  /** Whether states are written with JSONata unless they say otherwise. */
  readonly isJsonata: boolean;
  /** How `$$.Execution.Input` is said; null: it cannot be, in a child task. */
  readonly execution: string | null;
  /** How often each state stands in the flow, by its pointer. */
  readonly copies: Map<string, number>;
  /** The item of the map around, by the name under which a child task sees it. */
  readonly item: Data | undefined;
}

/** Whether two places know the same. */
export function isSame(a: Known, b: Known): boolean {
  return differing([a, b]).length === 0 && codeOf(a.data) === codeOf(b.data);
}

/** Names of variables that are not the same in all places. */
export function differing(all: readonly Known[]): readonly string[] {
  const names = new Set(all.flatMap(({ variables }) => [...variables.keys()]));
  return [...names].filter((name) => {
    const codes = all.map(({ variables }) => {
      const value = variables.get(name);
      return value === undefined ? null : codeOf(value);
    });
    return new Set(codes).size > 1;
  });
}
