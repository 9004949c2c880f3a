import type { Members } from './member.js';

/** A kind of step, as data. */
export interface KindDeclaration {
  /** The members of such a step by name; the first one makes it. Other kinds have others. */
  readonly members: Members;
  /**
   * The part that does its work. `command`: an executor. `steps`: the steps that it holds.
   * `children`: child tasks. `core`: the task by itself.
   */
  readonly work: 'command' | 'steps' | 'children' | 'core';
  /**
   * How its output joins the parameters. `named`: under the name of the step. `merged`: member by
   * member. `none`: not at all.
   */
  readonly output: 'named' | 'merged' | 'none';
  /** Members that its output has by itself; absent: none. */
  readonly gives?: readonly string[];
  /**
   * Codes of the errors that it may end with by itself; null: any. A member of the type `code`
   * names one more.
   */
  readonly errors: readonly string[] | null;
  /** Words of other workflow engines for it; absent: none. */
  readonly otherWords?: readonly string[];
}

/** An action as people write it first. */
export const ACTION_EXAMPLE = { module: 'mysql', command: 'init_instance' } as const;

/** A list of steps as people write it first. */
export const STEPS_EXAMPLE = [{ normal: ACTION_EXAMPLE }] as const;

/** The member of steps that a command may undo. */
export const UNDO = {
  type: 'undo',
  optional: 'null',
  template: 'object',
  from: 'behind',
  about: 'Missing or null: there is nothing to undo.',
} as const;

/** The members that say how long a wait lasts, and what becomes of the step when it is over. */
export const LIMITS = {
  timeout: { type: 'duration', default: null, about: 'Longest wait. Default: no limit.' },
  onTimeout: {
    type: 'words',
    words: ['fail', 'continue'],
    default: 'fail',
    about:
      'When `timeout` is over: the step fails with SIGNAL_TIMEOUT (default), or has succeeded.',
  },
} as const;
