import type { JsonObject } from '../json/json.js';
import type { ChildrenAnew } from './parent.js';
import type { Way } from './status.js';
import type { StepPlan } from '../flow/flow.js';

/** The error with which a step failed. */
export interface Cause {
  /** One of `FAILURE_CODES` by name, or what a command or a flow calls it. */
  readonly code: string;
  /** Name of the step in which it first appeared. */
  readonly step: string;
  /** The reason, for people. */
  readonly message: string;
}

/** Why and when a scope turned back. */
export interface Turn {
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * `task_timed_out`, `scope_timed_out`: the time for all of it was over. `requested`: by a person.
   * `reset`: by a person, down to a step, from which the task goes forward again. `called_off`: the
   * scope around it goes back. `undone`: the same, after it had succeeded. `hold_ended`: nobody
   * acted while the task was on hold. `retried`: a person has all child tasks of it begun again.
   */
  readonly why:
    | 'step_failed'
    | 'step_timed_out'
    | 'task_timed_out'
    | 'scope_timed_out'
    | 'requested'
    | 'reset'
    | 'called_off'
    | 'undone'
    | 'hold_ended'
    | 'retried';
  /** The same for people, with the step and what was in its way, or the person and the reason. */
  readonly message: string;
  /** Of a failed step: its error, by which others catch it; null: none failed. */
  readonly cause: Cause | null;
  /**
   * Position of the task's own step down to which a person has it go back. Only that step and what
   * needs it are undone; everything else stays. After that a reset has it go forward again, and a
   * rollback puts it on hold. Null: all of the scope is undone.
   */
  readonly to: number | null;
  /**
   * Of a reset that leaves that step as it is, and undoes only what needs it: which child tasks of
   * it are begun again after that. Absent: the step is undone as well.
   */
  readonly children?: ChildrenAnew;
  /** The person who asked for it; null: nobody did. */
  readonly by: string | null;
}

/**
 * The origin of a scope. `try`: one try of a `group`. `case`: the case that a `choice` took.
 * `branch`: one of a `parallel`. `round`: one of a `loop`. `catch`: the steps that run once a step
 * has failed. `children`: child tasks, so that nothing of it stands in this task: its block is
 * empty, and how far it has come is found by counting them. `dynamic`: steps that came to be when
 * their step was reached; they stand in its values, which nothing else sees.
 */
export type ScopeKind = 'try' | 'case' | 'branch' | 'round' | 'catch' | 'children' | 'dynamic';

/**
 * A list of steps below the task itself that was entered, and that goes forward or back by itself.
 * The task is the outermost scope; what is said here of the others it says of itself.
 */
export interface Scope {
  readonly kind: ScopeKind;
  /** Place of the step that holds it. */
  readonly holder: number;
  /**
   * Which of its holder's lists it runs: the position of a case, a branch or a catch clause, where
   * `otherwise` comes after the cases; 0 where there is but one.
   */
  readonly list: number;
  /** Which time its holder runs this list, from 1 on; 0: its block is kept for a new beginning. */
  readonly round: number;
  /** Place of its first step. Its block ends where the next scope's begins. */
  readonly first: number;
  readonly way: Way;
  /** Present exactly while `way` is `back`. */
  readonly turned: Turn | null;
  /** `open`: it is on its way. `done`: all of its steps are. `clean`: all of them are undone. */
  readonly stage: 'open' | 'done' | 'clean';
  /**
   * Values that its steps see besides those around it: the error, the value of a try. For child
   * tasks these are their items, or in a further round the numbers of these, null while nobody has
   * said which; for a dynamic scope its steps.
   */
  readonly values: JsonObject | null;
}

/** The scopes of a flow without nested steps: one object shared by all such tasks. */
export const NO_SCOPES: readonly Scope[] = Object.freeze([]);

/** The steps that a dynamic scope was begun with; undefined: there are none. */
export function listMade(values: JsonObject | null): readonly StepPlan[] | undefined {
  const steps = values?.['steps'];
  return Array.isArray(steps) ? steps : undefined;
}
