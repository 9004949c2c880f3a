import type { Caller } from '../api/shapes.js';

/** A role that an action or a page takes. */
export type Role = 'viewer' | 'starter' | 'operator' | 'author' | 'admin';

/** Whether a person has the rights of a role, by the word of the server, which decides again. */
export function hasRightsOf({ may = [] }: Pick<Caller, 'may'>, wanted: Role): boolean {
  return may.includes(wanted);
}

/** Whether a person may see what is about everything at once, which takes a key without limits. */
export function rulesAll(caller: Pick<Caller, 'may' | 'seesEverything'>): boolean {
  return hasRightsOf(caller, 'admin') && caller.seesEverything;
}
