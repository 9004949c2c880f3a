import { hasFailed, withFreshBudget } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import {
  furtherTally,
  numberOf,
  numbersIn,
  roundsDone,
  tallyWithout,
  wholeTally,
} from '../children/child-rounds.js';
import { childrenRunOf, tallyAt } from '../children/children.js';
import { failLastDone } from './fail-scope.js';
import type { JsonObject } from '../json/json.js';
import type { ChildrenAnew, ChildRef } from '../task/parent.js';
import { lackOfRoom } from './room.js';
import { beginScope, nameAt, runAt, runHolder } from './scope-change.js';
import { normalOf } from '../task/action-ref.js';
import type { ChildTally } from '../task/child-tally.js';

/** The number of a step's round in which a child task is; -1: it is in none that still counts. */
export function roundWith(change: Change, place: number, { run }: ChildRef): number {
  return roundsDone(change, place).findIndex((scope) => childrenRunOf(change, scope) === run);
}

/** Whether the item of a child task was begun again after it. */
export function isReplaced(change: Change, place: number, child: ChildRef): boolean {
  const later = roundsDone(change, place).slice(roundWith(change, place, child) + 1);
  const number = numberFor(change, place, child);
  return later.some((round) => numbersIn(round)?.includes(number));
}

/** The number of the item that a child task of a step is for. */
function numberFor(change: Change, place: number, child: ChildRef): number {
  const scope = roundsDone(change, place)[roundWith(change, place, child)];
  const numbers = scope === undefined ? null : numbersIn(scope);
  return numberOf({ round: { run: child.run, numbers }, index: child.index });
}

/** Begins a further round of a step, for those that failed, or for the item of one child task. */
export function beginFurther(change: Change, place: number, anew: ChildrenAnew): void {
  const ref = normalOf(place);
  const tally = tallyAt(change, place) as ChildTally;
  const further = furtherFor(change, place, { anew, tally });
  const values = valuesFor(change, place, anew);
  change.putRun(ref, { ...runAt(change, ref), values: further });
  beginScope(change, place, { kind: 'children', values });
}

interface Further {
  readonly anew: ChildrenAnew;
  readonly tally: ChildTally;
}

function furtherFor(change: Change, place: number, { anew, tally }: Further): ChildTally {
  if (anew === 'failed') return furtherTally(tally, wholeTally(tally).failed);
  const round = roundWith(change, place, anew);
  return furtherTally(anew.isDone === true ? tallyWithout(tally, round) : tally, 1);
}

/** Null: whoever looks after the child tasks says which items these are. */
function valuesFor(change: Change, place: number, anew: ChildrenAnew): JsonObject | null {
  if (anew === 'failed') return null;
  const numbers = [numberFor(change, place, anew)];
  if (anew.isDone !== true) return { numbers };
  const { index, run } = anew;
  return { numbers, replaces: { run, index } };
}

/** Whether a step has ended and its child tasks, or some of them, stand. */
export function hasStanding(change: Change, place: number): boolean {
  const { normal, rollback } = change.runs[place] ?? {};
  if (normal === undefined || (rollback !== null && rollback?.state !== 'none')) return false;
  const hasEnded = normal.state === 'succeeded' || hasFailed(normal);
  return hasEnded && roundsDone(change, place).length > 0;
}

/**
 * Has a step that has ended, and is not undone, stand as one that is ready: as soon as it is
 * entered, child tasks of it are begun again.
 */
export function reopen(change: Change, place: number, anew: ChildrenAnew): void {
  const ref = normalOf(place);
  const run = runAt(change, ref);
  const values: JsonObject = { ...tallyAt(change, place), anew };
  change.putRun(ref, { ...withFreshBudget(run), state: 'pending', output: null, values });
}

/** Enters a step of which child tasks stand and others are begun again; false: it is none. */
export function enterFurther(change: Change, place: number): boolean {
  const anew = tallyAt(change, place)?.anew;
  if (anew === undefined || roundsDone(change, place).length === 0) return false;
  runHolder(change, normalOf(place));
  change.noteRun('started', normalOf(place));
  const lack = lackOfRoom(change, place, [{ kind: 'children' }]);
  if (lack === null) {
    beginFurther(change, place, anew);
  } else {
    // The task has grown since a person asked.
    const cause = { code: 'TASK_TOO_LARGE', step: nameAt(change, place), message: lack };
    failLastDone(change, place, { why: 'step_failed', message: lack, cause });
  }
  return true;
}
