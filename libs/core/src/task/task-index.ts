import type { StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import type { StepRuns } from './action-run.js';
import type { ScopeIndex } from './scope-index.js';
import type { Scope } from './scope.js';

/** Runs of neighbouring steps, summed up. */
export interface Stretch {
  /** When one of them must be looked at next, milliseconds since 1970; Infinity: never. */
  readonly wakeAt: number;
  /** Whether one of them is queued, running or waiting. */
  readonly isOpen: boolean;
  /** Whether one of them gave something back. */
  readonly hasOutput: boolean;
  /** Whether one of them is on its way to an executor, or with one. */
  readonly isMoving: boolean;
  /** Most attempts of one that failed and is tried again; 0: there is none. */
  readonly attempts: number;
}

/** The steps of a scope that goes back of which nothing is left to undo. */
export interface Settled {
  /** For each step of its list 1 where it and every step that needs it is undone, else 0. */
  readonly flags: Uint8Array;
  /** How many are 0. */
  readonly left: number;
}

/** How far a scope has come. */
export interface ScopeTally {
  /** Steps whose normal action is neither done nor skipped. */
  readonly left: number;
  /** Null: not worked out, or the scope does not go back. */
  readonly settled: Settled | null;
}

/**
 * An index of the runs of a document. With it the cost of an event depends on the steps that it
 * touches, not on the size of the task. It follows from the runs alone, is never stored, and is
 * carried from each document to the next.
 */
export interface TaskIndex extends ScopeTally {
  /** The runs that it was made of: beside any others it says nothing. */
  readonly runs: readonly StepRuns[];
  /** One for every `STRETCH` steps, in their order. */
  readonly stretches: readonly Stretch[];
  /** Bytes of parameters and outputs as JSON; null: not counted so far. */
  readonly contentBytes: number | null;
  /** One for each of the task's scopes. */
  readonly scopes: readonly ScopeTally[];
  readonly lookups: Lookups;
}

/** Which marked steps of a task are done. */
export interface DonePlaces {
  /** The steps of the task: beside any others it says nothing. */
  readonly steps: readonly StepPlan[];
  /**
   * Their places, the lowest first, by the places of the steps that hold them, directly or not;
   * under `TASK` all of them.
   */
  readonly below: ReadonlyMap<number, readonly number[]>;
}

/** The output of a step, as the steps after it see it. */
export interface Result {
  readonly place: number;
  /** Null: it is what the scope around began with. */
  readonly step: StepPlan | null;
  readonly output: JsonObject;
}

/** The outputs that are to be seen after a round. */
export interface SeenRound {
  readonly round: Scope;
  /** The round before; null: it was the first. */
  readonly before: Scope | null;
  readonly results: readonly Result[];
}

/**
 * Facts about the scopes and marked steps of a document, each found when it is first asked for.
 * They follow from runs and scopes alone, are never stored, and are carried to the next document.
 */
export class Lookups {
  /** The scopes by the steps that hold them. */
  held: ScopeIndex | null = null;
  /** Which marked steps are done, by their marks; null: nobody has asked. */
  done: Map<object, DonePlaces> | null = null;

  /**
   * `runs`, `scopes`: those that they are of; beside any others they say nothing. `rounds`: the
   * outputs to be seen after rounds that are done, by the numbers of their scopes.
   */
  constructor(
    private runs: readonly StepRuns[],
    private scopes: readonly Scope[],
    readonly rounds: (SeenRound | undefined)[] = [],
  ) {}

  /** Whether they are of these runs and scopes. */
  areOf(runs: readonly StepRuns[], scopes: readonly Scope[]): boolean {
    return this.runs === runs && this.scopes === scopes;
  }

  /** Lookups of copies of these runs and scopes, for a change that writes into the copies. */
  branch(runs: readonly StepRuns[], scopes: readonly Scope[]): Lookups {
    const branch = new Lookups(runs, scopes, this.rounds);
    branch.held = this.held;
    if (this.done !== null) branch.done = new Map(this.done);
    return branch;
  }

  /** The runs or the scopes of the change that owns these are another copy now. */
  rebase(runs: readonly StepRuns[], scopes: readonly Scope[]): void {
    this.runs = runs;
    this.scopes = scopes;
  }
}
