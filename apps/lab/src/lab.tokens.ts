/** Injects the clock. */
export const LAB_CLOCK = Symbol('lab clock');

/** Injects the effects that really happened. */
export const EFFECT_LOG = Symbol('effect log');

/** Injects the completions that are waited for. */
export const COMPLETION_LOG = Symbol('completion log');

/** Injects the file under the module. */
export const LAB_FILE = Symbol('lab file');
