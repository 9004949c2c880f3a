import type { Change } from '../change/change.js';
import { failStep } from '../moves/recover.js';
import { lackOfRoom } from '../moves/room.js';
import { type Beginning, nameAt } from '../moves/scope-change.js';

/** Has a step fail that is to begin scopes for which its task has no room. False: there is room. */
export function failsForRoom(
  change: Change,
  place: number,
  beginnings: readonly Beginning[],
): boolean {
  const message = lackOfRoom(change, place, beginnings);
  if (message === null) return false;
  const cause = { code: 'TASK_TOO_LARGE', step: nameAt(change, place), message };
  failStep(change, place, { cause, message, isLate: false });
  return true;
}
