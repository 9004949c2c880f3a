import type { Change } from '../change.js';
import type { StepPlan } from '../flow.js';

/** Name of a kind of step: the member that makes it. */
export type KindName = 'normal' | 'group';

/**
 * What the core does about the steps of one kind. Scopes that this begins or turns are followed by
 * `advance`, so that none of it calls back.
 */
export interface StepKind {
  /** What it needs is there: it starts. */
  readonly enter: (change: Change, place: number) => void;
  /** The scope in which it lies turned back: what goes forward in it stops. */
  readonly callOff: (change: Change, place: number) => void;
  /** Everything that followed it is undone: so is it. Called while its rollback is pending. */
  readonly undo: (change: Change, place: number) => void;
  /** What becomes of it as its scope goes; null: it holds no steps. */
  readonly holds: Holding | null;
}

/** What the core does about a step that holds steps. `scope`: the number of its scope. */
export interface Holding {
  /** Every step of its scope is done. */
  readonly done: (change: Change, scope: number) => void;
  /** Its scope went back, and nothing is left to undo. */
  readonly clean: (change: Change, scope: number) => void;
  /** The moment that it waits for has come. */
  readonly due: (change: Change, place: number) => void;
}

/** Members that say nothing about the kind of a step. */
const COMMON = new Set(['name', 'needs', 'rollback', 'retry', 'timeoutMs']);

/** The kind of a step. Throws for one that this build does not know: it is never taken for done. */
export function kindOf(step: StepPlan): KindName {
  if (step.normal !== undefined) return 'normal';
  if (step.group !== undefined) return 'group';
  const members = Object.keys(step satisfies never as object).filter((name) => !COMMON.has(name));
  throw new Error(`a step is of the unknown kind ${members.join(', ') || 'none'}`);
}
