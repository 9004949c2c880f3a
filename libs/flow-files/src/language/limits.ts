/** Most steps of one flow, those in its steps included. */
export const STEPS_MAX = 1_000;

export { NESTING_MAX } from '#core';

/** Most flows of one file. */
export const FLOWS_MAX = 200;

/** Most starts of one action. */
export const ATTEMPTS_MAX = 1_000;

/** Most restarts of one action after crashes. */
export const RESTARTS_MAX = 100;

/** Most cases of a choice, branches of a parallel step, and clauses of a `catch`. */
export const LISTS_MAX = 100;

/** Most codes of errors in one list. */
export const CODES_MAX = 100;

/** Most different expressions of one flow: reading one takes about 0.3 ms. */
export const EXPRESSIONS_MAX = 2_000;

/** Most locks of a flow, or of a step. */
export const LOCKS_MAX = 16;

/** Most characters of a label in a flow; the value of its expression may have 500. */
export const LABEL_TEXT_MAX = 4_000;
