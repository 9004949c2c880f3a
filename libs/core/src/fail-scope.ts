import type { Change } from './change.js';
import { TASK, wayAt } from './places.js';
import { turnScope, type TurnWish } from './scope-change.js';

/**
 * A step of a scope failed for good: the scope goes back, or its task waits for a person, if the
 * flow says so.
 */
export function failScope(change: Change, scope: number, turn: TurnWish): void {
  const { hold } = change;
  if (scope !== TASK) {
    turnScope(change, scope, turn);
  } else if (change.plan.onFailure === 'rollback') {
    if (hold?.why === 'requested') change.endHold();
    turnScope(change, scope, turn);
  } else if (hold === null) {
    holdForPerson(change, turn.message);
  } else if (hold.why === 'step_failed') {
    change.message = turn.message;
  }
}

function holdForPerson(change: Change, message: string): void {
  const { onFailure } = change.plan;
  const holdMs = onFailure === 'rollback' ? null : onFailure.holdMs;
  const until = holdMs === null ? null : change.now + holdMs;
  change.putOnHold({ why: 'step_failed', by: null, until }, message);
  change.note('task_on_hold', { message, dueAt: until ?? undefined });
}

/**
 * A person has settled what the task was on hold for. It goes on in its direction, unless another
 * step of its own that failed still waits for a person.
 */
export function endHold(change: Change): void {
  change.endHold();
  const [failed] = failedSteps(change);
  if (failed === undefined) return;
  const name = change.plan.steps[failed]?.name ?? '';
  holdForPerson(change, `step ${name} failed: ${change.runs[failed]?.normal.message ?? ''}`);
}

/** Places of the task's own steps that failed and are not to be undone, but wait for a person. */
export function failedSteps(change: Change): readonly number[] {
  const places: number[] = [];
  for (let place = 0; place < change.plan.steps.length; place += 1) {
    const state = change.runs[place]?.normal.state;
    if (state !== 'failed' && state !== 'timed_out') continue;
    if (wayAt(change, place) === 'forward') places.push(place);
  }
  return places;
}
