/** When something goes wrong in an attempt, seen from the effect of its command. */
export type Where = 'before' | 'during' | 'after';

/** How an attempt goes wrong. */
export type How = 'error' | 'time-out' | 'crash';

/** Every moment, in the order of time. */
export const WHERES: readonly Where[] = ['before', 'during', 'after'];

/** Every way to go wrong. */
export const HOWS: readonly How[] = ['error', 'time-out', 'crash'];

/** One thing that goes wrong in a play. */
export interface Fault {
  /** Id of the run. */
  readonly run: string;
  readonly direction: 'normal' | 'rollback';
  readonly where: Where;
  readonly how: How;
  /** A normal action fails for good: in every attempt. A rollback fails in its first one. */
  readonly attempts: number;
}

/** A fault that a normal action does not get over. */
export function fails(run: string, where: Where, how: How): Fault {
  return { run, direction: 'normal', where, how, attempts: Infinity };
}

/** A fault that a rollback gets over if it is tried again. */
export function failsOnce(run: string, where: Where, how: How): Fault {
  return { run, direction: 'rollback', where, how, attempts: 1 };
}
