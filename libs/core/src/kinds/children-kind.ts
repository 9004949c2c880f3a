import type { Change } from '../change/change.js';
import type { FailureName } from '../task/failure.js';
import type { JsonValue } from '../json/json.js';
import { CHILDREN_MAX, DEPTH_MAX } from '../task/parent.js';
import { stepAt } from '../scopes/step-at.js';
import { failStep } from '../moves/recover.js';
import { beginScope, beginTask, nameAt, runAt } from '../moves/scope-change.js';
import { failsForRoom, holderKind, startHolder, succeedHolder } from './holder.js';
import type { StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';
import type { ChildTally } from '../task/child-tally.js';
import { lookAgain } from '../moves/tend-children.js';

/**
 * A kind of step whose work child tasks do. They are a scope of their own, which goes forward, back
 * and clean as any other; that it is done or clean is found by counting.
 */
export function childrenKind(own: Pick<StepKind, 'start'>): StepKind {
  return holderKind({ ...own, due: (change, place) => void lookAgain(change, normalOf(place)) });
}

/** The child tasks that a step is to begin. */
interface ChildrenWish {
  readonly items: readonly JsonValue[];
  /** Name of their flow; null: they run steps of the step itself. */
  readonly flow: string | null;
  /** Null: the newest. */
  readonly version: number | null;
}

/** Begins a scope of child tasks, of which none is started so far. */
export function beginChildren(
  change: Change,
  place: number,
  { flow, items, version }: ChildrenWish,
): void {
  const fault = faultOf(change, items.length);
  if (fault !== null) return failUnstarted(change, place, fault);
  const beginning = { kind: 'children', values: { items } } as const;
  if (items.length > 0 && failsForRoom(change, place, [beginning])) return;
  beginTask(change);
  startHolder(change, place);
  const counts = { succeeded: 0, failed: 0, active: 0, held: 0 };
  const named = flow === null ? null : { name: flow, version };
  const tally: ChildTally = { total: items.length, started: 0, ...counts, flow: named };
  const run = runAt(change, normalOf(place));
  change.putRun(normalOf(place), { ...run, values: tally });
  if (items.length > 0) return beginScope(change, place, beginning);
  succeedHolder(change, place);
  const output = { count: 0, succeeded: 0, failed: 0, results: [] };
  change.putRun(normalOf(place), { ...runAt(change, normalOf(place)), output });
}

function faultOf({ plan }: Change, count: number): string | null {
  if ((plan.parent?.depth ?? 0) >= DEPTH_MAX) {
    return `child tasks are nested at most ${DEPTH_MAX} deep`;
  }
  return count > CHILDREN_MAX ? `there are ${count} items, at most ${CHILDREN_MAX} can be` : null;
}

function failUnstarted(change: Change, place: number, message: string): void {
  const cause = { code: failureOf(change, place), step: nameAt(change, place), message };
  failStep(change, place, { cause, message, isLate: false });
}

/** The failure name of a step whose child tasks have failed. */
export function failureOf(change: Change, place: number): FailureName {
  return stepAt(change, place)?.flow === undefined ? 'CHILDREN_FAILED' : 'CHILD_FAILED';
}
