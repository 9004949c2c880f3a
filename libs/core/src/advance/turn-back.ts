import { advance } from './advance.js';
import type { Change } from '../change/change.js';
import { turnScope, type TurnWish } from '../moves/scope-change.js';

/**
 * Turns a scope round, or the part of the task that a person resets: nothing new is started in it,
 * what nobody had taken is called back, what is running is called off, and everything that ran is
 * to be undone, what failed included, because its outcome is unknown. Only what was refused before
 * it was entered is known to have left nothing.
 */
export function turnBack(change: Change, scope: number, turn: TurnWish): void {
  turnScope(change, scope, turn);
  advance(change);
}
