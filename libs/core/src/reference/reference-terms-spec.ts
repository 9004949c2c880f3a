import type { KindName } from '#kinds';
import type { StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import type { Program } from './program-spec.js';

/** The undos of a list of steps, in the order in which the steps ran. They run from the end. */
export type Done = (() => void)[];

/** How a step or a list ended: well, or with the code of an error. */
export type End = null | string;

/** A step of one kind. */
export type Of<K extends KindName> = StepPlan & Readonly<Record<K, NonNullable<StepPlan[K]>>>;

/** How a task ends. One that waits for a person is terminated. */
export type Outcome = 'succeeded' | 'rolled_back' | 'terminated';

/** A child task to run: its steps, and the parameters that their conditions look at. */
export interface Born {
  readonly program: Program;
  readonly steps: readonly StepPlan[];
  readonly given: JsonObject;
  /** Which child task it is: what each line of the log begins with; empty: none. */
  readonly name: string;
}

/** A child task, as its parent runs it. */
export interface Child {
  /** Whether it passed a point of no return, so that nobody has it undone. */
  readonly isBarred: boolean;
  note(line: string): void;
  run(): Outcome;
  /** Undoes all that it did. */
  goBack(): Outcome;
}

/** A task, as the rules of its child tasks see it. */
export interface Parent extends Omit<Born, 'steps'> {
  bear(born: Born): Child;
  note(line: string): void;
  /** A task that a person's rollback has reached starts nothing new. */
  stopIfTurned(): void;
  /** Where a person says what becomes of the failure of a step, nothing is undone before. */
  holdFailed(step: StepPlan, id: string, code: string): void;
}

/** Undoes what a list did, from its end. */
export function undoAll(done: Done): void {
  for (let undo = done.pop(); undo !== undefined; undo = done.pop()) undo();
}
