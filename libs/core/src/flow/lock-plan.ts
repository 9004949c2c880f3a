/** A lock as a flow asks for it: this many tasks may hold one of this name at a time. */
export interface LockPlan {
  /** A name, or an expression that comes to one. */
  readonly name: string;
  /** At least 1. */
  readonly slots: number;
}

/** Most tasks that may hold one lock at a time. */
export const SLOTS_MAX = 1_000;
