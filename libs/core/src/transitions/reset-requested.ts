import { advance } from '../advance.js';
import type { Change } from '../change.js';
import { editFor, refuseEdit } from '../edit.js';
import type { ResetRequested } from '../event.js';
import { outermostPlace, TASK } from '../places.js';
import { renewFrom } from '../renew.js';
import { wasReached } from '../reset-part.js';
import { placeOf, placeOfStep } from '../run-id.js';
import { TASK_STATUS } from '../status.js';
import { turnBack } from '../turn-back.js';
import { APPLIED, listNames, type Refusal, type Verdict } from '../verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'reset_requested',
  verb: 'reset',
  legalIn: [
    TASK_STATUS.running,
    TASK_STATUS.succeeded,
    TASK_STATUS.rolled_back,
    TASK_STATUS.paused,
  ],
};

/** A paused task may go back already, or have done nothing so far. */
const RULE_PAUSED: ActionRule = {
  ...RULE,
  legalIn: [TASK_STATUS.running, TASK_STATUS.succeeded, TASK_STATUS.rolled_back],
};

/**
 * A person has a step and everything that needs it done anew. What ran of that is called off and
 * undone first; the rest of the task stays, and what runs of it goes on. A task that is rolled back
 * has nothing to undo: it begins again with what was undone and is needed. A paused one stays so;
 * once it is resumed it goes back.
 */
export function resetRequested(change: Change, event: ResetRequested): Verdict {
  const to = placeOfStep(change, event.to) ?? -1;
  const { parameters } = event;
  const verdict =
    admitAction(change, event, ruleFor(change)) ??
    refuseStep(change, event, to) ??
    (parameters === undefined ? null : refuseEdit(change, event.actor, parameters));
  if (verdict !== null) return verdict;
  const ref = { direction: 'normal', step: to } as const;
  change.noteRun(RULE.kind, ref, { actor: event.actor, message: event.reason });
  if (parameters !== undefined) {
    change.edits = [...change.edits, editFor(change, event.actor, parameters)];
    change.tally.contentBytes = null;
  }
  if (change.outcome === 'rolled_back') {
    renewFrom(change, to);
    advance(change);
  } else {
    const message = `reset to step ${event.to} by ${event.actor}: ${event.reason}`;
    turnBack(change, TASK, { why: 'reset', message, to });
  }
  return APPLIED;
}

function ruleFor({ startedAt, way }: Change): ActionRule {
  return way === 'forward' && startedAt !== null ? RULE : RULE_PAUSED;
}

function refuseStep(change: Change, { to: name }: ResetRequested, to: number): Refusal | null {
  // Of a task that never started, a step that holds steps may have been entered all the same.
  if (change.startedAt !== null && wasReached(change.runs[to])) return null;
  if (to >= 0) {
    const message = `only a step that was reached can be reset; ${name} was not`;
    return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
  }
  const inner = placeOf(change, name);
  if (inner !== null) {
    const around = change.plan.steps[outermostPlace(change, inner)]?.name ?? '';
    const message = `only a step of the task itself can be reset; ${name} is in ${around}`;
    return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
  }
  const names = listNames(change.plan.steps.map((step) => step.name));
  const message = `there is no step ${name}; the steps are ${names}`;
  return { kind: 'refused', code: 'NO_SUCH_STEP', message };
}
