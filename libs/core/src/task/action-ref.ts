import type { Direction } from './journal.js';

/** Which action of a task an event is about. */
export interface ActionRef {
  readonly direction: Direction;
  /** Position of the step. */
  readonly step: number;
}

/** The normal action of the step at a place. */
export function normalOf(step: number): ActionRef {
  return { direction: 'normal', step };
}

/** The rollback of the step at a place. */
export function rollbackOf(step: number): ActionRef {
  return { direction: 'rollback', step };
}
