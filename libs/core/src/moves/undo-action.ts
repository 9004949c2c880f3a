import type { Change } from '../change/change.js';
import { endUndo } from './holder-back.js';
import { stepAt } from '../scopes/step-at.js';
import { queueAction } from './queue-action.js';
import { rollbackOf } from './scope-change.js';

/** Has the rollback of a step done; one that has none is undone at once. */
export function undoAction(change: Change, place: number): void {
  if (stepAt(change, place)?.rollback) queueAction(change, rollbackOf(place));
  else endUndo(change, place);
}
