import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import {
  isUnchosen,
  numbersIn,
  replacedIn,
  tallyBefore,
  wholeTally,
} from '../children/child-rounds.js';
import { childrenRunOf, openChildren, tallyAt } from '../children/children.js';
import { excessWith } from '../moves/room.js';
import { earlyEnd } from '../scopes/early-step.js';
import { endClean } from '../advance/end-scope.js';
import { failScope } from '../moves/fail-scope.js';
import { failureOf } from '../kinds/children-kind.js';
import { succeedHolder } from '../kinds/holder.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { ChildResult } from '../task/parent.js';
import { isOpen, stepAt } from '../scopes/step-at.js';
import { failStanding, isForPerson } from '../moves/recover.js';
import { nameAt, putStage, runAt, scopeIn } from '../moves/scope-change.js';
import { startsActions } from '../task/status.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { normalOf, rollbackOf } from '../task/action-ref.js';
import type { ChildrenCounted } from '../task/event.js';
import type { ChildTally } from '../task/child-tally.js';
import { putLook } from '../moves/tend-children.js';

/**
 * It is known how the child tasks of a step stand: more of them are started, or the step is done,
 * or has failed; on the way back, it is undone once none of them is left that did something.
 */
export function childrenCounted(change: Change, event: ChildrenCounted): Verdict {
  const scope = scopeOf(change, event.run);
  const tally = scope === null ? null : tallyAt(change, scopeIn(change, scope).holder);
  if (scope === null || tally === null) return ignored('no_such_action');
  const { holder, way } = scopeIn(change, scope);
  if (change.outcome !== null) return countTerminated(change, scope, event);
  if (!startsActions(change)) return ignored('paused');
  if (!isOpen(change, scope)) return ignored('not_queued');
  const next = withCounts(tally, event);
  choose(change, scope, event);
  const verdict =
    way === 'forward'
      ? countForward(change, scope, { event, tally: next })
      : countBack(change, scope, event);
  if (verdict !== null) {
    advance(change);
    return verdict;
  }
  const ref = way === 'forward' ? normalOf(holder) : rollbackOf(holder);
  const grown = way === 'forward' ? withMore(change, scope, next) : next;
  if (isSame(tally, grown)) return ignored('nothing_due');
  keep(change, holder, grown);
  putLook(change, ref, 1);
  return APPLIED;
}

function scopeOf(change: Change, run: string): number | null {
  const found = openChildren(change).find((scope) => childrenRunOf(change, scope) === run);
  return found === undefined ? null : change.scopes.indexOf(found);
}

/**
 * Notes which items are begun again: those whose child tasks failed in the rounds before; or that
 * the one in whose place another comes is undone.
 */
function choose(change: Change, scope: number, { chosen, isReplaced }: ChildrenCounted): void {
  const below = scopeIn(change, scope);
  if (isReplaced === true && replacedIn(below) !== null) {
    return change.putScope(scope, { ...below, values: { numbers: numbersIn(below) ?? [] } });
  }
  const { total } = tallyAt(change, below.holder) ?? { total: 0 };
  if (chosen?.length !== total || !isUnchosen(below)) return;
  change.putScope(scope, { ...below, values: { numbers: chosen } });
}

function withCounts(tally: ChildTally, { counts, version }: ChildrenCounted): ChildTally {
  const { active, failed, held, succeeded } = counts;
  const flow =
    tally.flow === null || version === undefined ? tally.flow : { ...tally.flow, version };
  return { ...tally, succeeded, failed, active, held, flow };
}

function isSame(one: ChildTally, other: ChildTally): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Numbers alone: what the task holds besides them is not counted again. */
function keep(change: Change, holder: number, tally: ChildTally): void {
  const ref = normalOf(holder);
  const run = runAt(change, ref);
  const message = waitingFor(tally);
  change.putRun(ref, { ...run, message, values: tally });
}

function waitingFor({ held }: ChildTally): string | null {
  if (held === 0) return null;
  return held === 1 ? 'one child task waits for a person' : `${held} child tasks wait for a person`;
}

/** As many more as may be at a time; none once the task is to end early. */
function withMore(change: Change, scope: number, tally: ChildTally): ChildTally {
  const { failed, flow, started, succeeded, total } = tally;
  const below = scopeIn(change, scope);
  const { holder } = below;
  const isUnknown = isUnchosen(below) || (flow !== null && flow.version === null);
  const mayBegin = !isUnknown && replacedIn(below) === null;
  if (!mayBegin || earlyEnd(change) !== null) return tally;
  const concurrency = stepAt(change, holder)?.foreach?.concurrency ?? 1;
  const room = Math.max(0, concurrency - (started - succeeded - failed));
  return { ...tally, started: Math.min(total, started + room) };
}

interface Counted {
  readonly event: ChildrenCounted;
  readonly tally: ChildTally;
}

/** Null: they are still on their way. */
function countForward(change: Change, scope: number, { event, tally }: Counted): Verdict | null {
  const { holder } = scopeIn(change, scope);
  if (event.message !== undefined) {
    keep(change, holder, tally);
    const code = event.code ?? failureOf(change, holder);
    return fail(change, scope, { code, message: event.message });
  }
  const { started } = tally;
  const isEarly = earlyEnd(change) !== null;
  const isOver = isEarly || (started === tally.total && event.results !== undefined);
  if (!isOver || tally.succeeded + tally.failed < started) return null;
  keep(change, holder, tally);
  const { failed, succeeded, total } = wholeTally(tally);
  const { successPercent = 100 } = stepAt(change, holder)?.foreach ?? {};
  const needed = Math.min(100, Math.max(0, successPercent));
  if (succeeded * 100 >= total * needed || isEarly) {
    return succeed(change, scope, outputOf(change, holder, { event, tally }));
  }
  const [first] = (event.results ?? []).filter(({ message }) => message !== null);
  const code = failureOf(change, holder);
  const isOne = code === 'CHILD_FAILED';
  // Not its id: a message is read by people who may not see the child task.
  const which = isOne || first === undefined ? '' : ` item ${first.index}:`;
  const why = first === undefined ? '' : `:${which} ${first.message}`;
  const what = isOne ? 'the child task' : `${failed} of ${total} child tasks`;
  return failCounted(change, scope, { code, message: `${what} failed${why}` });
}

function outputOf(change: Change, holder: number, { event, tally }: Counted): JsonObject {
  const { failed, succeeded, total } = wholeTally(tally);
  const results = (event.results ?? []).map(shown);
  const [only] = results;
  const isOne = stepAt(change, holder)?.flow !== undefined;
  if (!isOne || only === undefined) return { count: total, succeeded, failed, results };
  const { output, status, taskId } = only;
  return { taskId, status, output };
}

type Shown = Readonly<Record<'index' | 'taskId' | 'status' | 'output', JsonValue>>;

function shown({ index, output, status, taskId }: ChildResult): Shown {
  return { index, taskId, status, output };
}

function succeed(change: Change, scope: number, output: JsonObject): Verdict {
  const { holder } = scopeIn(change, scope);
  const excess = excessWith(change, output);
  if (excess !== null) return fail(change, scope, { code: 'OUTPUT_TOO_LARGE', message: excess });
  putStage(change, scope, 'done');
  succeedHolder(change, holder);
  change.putRun(normalOf(holder), { ...runAt(change, normalOf(holder)), output });
  return APPLIED;
}

interface ChildrenFault {
  readonly code: string;
  readonly message: string;
}

/**
 * All child tasks of a list have ended and too few succeeded. Where that waits for a person, those
 * that did stay as they are until then, so that a retry need not begin them again.
 */
function failCounted(change: Change, scope: number, fault: ChildrenFault): Verdict {
  const { holder } = scopeIn(change, scope);
  const cause = { ...fault, step: nameAt(change, holder) };
  const isList = stepAt(change, holder)?.foreach !== undefined;
  if (!isList || !isForPerson(change, holder, cause)) return fail(change, scope, fault);
  putStage(change, scope, 'done');
  failStanding(change, holder, { cause, message: fault.message, isLate: false });
  return APPLIED;
}

function fail(change: Change, scope: number, { code, message }: ChildrenFault): Verdict {
  const step = nameAt(change, scopeIn(change, scope).holder);
  failScope(change, scope, { why: 'step_failed', message, cause: { code, step, message } });
  return APPLIED;
}

/**
 * Ends the scope cleanly once all child tasks have ended and none of them succeeded: failed ones
 * have undone themselves. Null: some effects are not undone so far.
 */
function countBack(change: Change, scope: number, { counts }: ChildrenCounted): Verdict | null {
  const { holder } = scopeIn(change, scope);
  const tally = tallyAt(change, holder);
  if (tally === null || !isOver(tally, counts) || counts.succeeded > 0) return null;
  const ended = withCounts(tally, { kind: 'children_counted', run: '', counts });
  // The round before goes back next.
  keep(change, holder, tallyBefore(ended) ?? ended);
  endClean(change, scope);
  return APPLIED;
}

/** Those that were never stored may still be, as long as nothing stands in their place. */
function isOver({ started }: ChildTally, { active, found }: ChildrenCounted['counts']): boolean {
  return active === 0 && found >= started;
}

function countTerminated(change: Change, scope: number, event: ChildrenCounted): Verdict {
  const { holder } = scopeIn(change, scope);
  const tally = tallyAt(change, holder);
  if (tally === null) return ignored('nothing_due');
  const next = withCounts(tally, event);
  if (isOver(tally, event.counts)) putStage(change, scope, 'clean');
  else if (isSame(tally, next)) return ignored('nothing_due');
  keep(change, holder, next);
  return APPLIED;
}
