import type { Change } from '../change/change.js';
import type { StepPlan } from '../flow/flow.js';
import type { AnswerValues, QuestionMember } from '../task/question.js';
import type { Turn } from '../task/scope.js';
import type { Placed } from '../scopes/step-at.js';

/**
 * The rules by which the core handles the steps of one kind. Scopes that this begins or turns are
 * followed by `advance`, so that none of it calls back.
 */
export interface StepKind {
  /** The members whose values must be known before it starts. */
  readonly asks: (step: StepPlan) => readonly QuestionMember[];
  /** Starts it. The steps that it needs are done, and the values that it asks for are known. */
  readonly start: (change: Change, place: number, values: AnswerValues) => void;
  /** Stops all that goes forward in it, as the scope in which it lies turned back. */
  readonly callOff: (change: Change, place: number) => void;
  /** Undoes it. Everything that followed it is undone. Called while its rollback is pending. */
  readonly undo: (change: Change, place: number) => void;
  /** Called when the moment that it waits for has come; null: it has no wait of its own. */
  readonly due: ((change: Change, place: number) => void) | null;
  /** The rules for its scopes; null: it holds no steps. */
  readonly holds: Holding | null;
}

/**
 * The rules by which the core handles a step that holds steps. `scope`: the number of one of its
 * scopes.
 */
export interface Holding {
  /** Called when every step of the scope is done. */
  readonly done: (change: Change, scope: number) => void;
  /**
   * Called when it failed and everything that it did is undone: it may begin again. False: it does
   * not.
   */
  readonly again: (change: Change, place: number, turn: Turn) => boolean;
  /**
   * The members whose values must be known before a step under way goes on. Null, as the rule or as
   * its result: there are none.
   */
  readonly asksOn: ((task: Asking, place: number) => readonly QuestionMember[] | null) | null;
  /** Called when the values that `asksOn` asked for are known. */
  readonly answered: ((change: Change, place: number, values: AnswerValues) => void) | null;
}

/** The parts of a task from which the question of a step under way follows. */
export type Asking = Placed;
