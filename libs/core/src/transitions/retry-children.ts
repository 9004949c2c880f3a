import { hasFailed, withFreshBudget } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { roundsDone, wholeTally } from '../children/child-rounds.js';
import { tallyAt } from '../children/children.js';
import type { RetryRequested } from '../task/event.js';
import { beginFurther, isReplaced, roundWith } from '../moves/further-round.js';
import { undoNext } from '../moves/holder-back.js';
import type { ChildRef, ChildrenWish } from '../task/parent.js';
import { lackOfRoom } from '../moves/room.js';
import { runAt, runHolder } from '../moves/scope-change.js';
import { illegal, type Refusal } from '../task/verdict.js';
import { waitsForDecision } from '../scopes/wake.js';
import { normalOf } from '../task/action-ref.js';

/** Whether a failed step still has child tasks: it waits for a person who says of which more. */
export function keepsChildren(change: Change, place: number): boolean {
  const { normal } = change.runs[place] ?? {};
  return normal !== undefined && hasFailed(normal) && roundsDone(change, place).length > 0;
}

/** Why what a person wants of child tasks cannot be; null: it can. */
export function refuseChildren(
  change: Change,
  failed: readonly number[],
  wish: ChildrenWish | undefined,
): Refusal | null {
  const kept = failed.filter((place) => keepsChildren(change, place));
  if (typeof wish === 'object') {
    const fault = faultOf(change, kept, wish);
    if (fault !== null) return illegal(fault);
  } else if (wish !== undefined && !waitsForDecision(change)) {
    return illegal('retry takes `children` only while the task is on hold for a failed step');
  }
  const further = kept.filter((place) => modeAt(change, place, wish) !== 'all');
  const lacks = further.map((place) => lackOfRoom(change, place, [{ kind: 'children' }]));
  const lack = lacks.find((sentence) => sentence !== null) ?? null;
  return lack === null ? null : illegal(lack);
}

/** The mode in which a failed step begins child tasks anew. */
function modeAt(change: Change, place: number, wish: ChildrenWish | undefined): ChildrenWish {
  if (typeof wish === 'object') return roundWith(change, place, wish) < 0 ? 'failed' : wish;
  const tally = tallyAt(change, place);
  const hasAny = tally !== null && wholeTally(tally).succeeded > 0;
  return wish ?? (hasAny ? 'failed' : 'all');
}

/** Why one child task cannot be begun anew by itself; null: it can. */
function faultOf(change: Change, kept: readonly number[], wish: ChildRef): string | null {
  const place = kept.find((one) => roundWith(change, one, wish) >= 0);
  if (place === undefined) {
    return 'this child task belongs to no step that the task is on hold for: retry without it';
  }
  if (!isReplaced(change, place, wish)) return null;
  return 'the item of this child task was started again: name its latest child task';
}

/** Begins child tasks of a failed step anew, beside those that are to stay. */
export function retryChildren(change: Change, place: number, event: RetryRequested): void {
  const ref = normalOf(place);
  const run = runAt(change, ref);
  const { values } = run;
  change.putRun(ref, { ...withFreshBudget(run), values });
  const mode = modeAt(change, place, event.children);
  runHolder(change, ref);
  change.noteRun('started', ref);
  if (mode === 'all') undoFirst(change, place, event);
  else beginFurther(change, place, mode);
}

/** All that the step did is undone, and then it is entered as if for the first time. */
function undoFirst(change: Change, place: number, { actor: by, reason }: RetryRequested): void {
  const message = `retried with all child tasks by ${by}: ${reason}`;
  undoNext(change, place, { why: 'retried', by, message });
}
