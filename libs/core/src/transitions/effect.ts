import type { EndedAlert } from '../change/alert-change.js';
import type { Change } from '../change/change.js';
import { wantsAlertTask } from '../children/alert-task.js';
import { wantsFailureTask } from '../children/failure-flow.js';
import { isParentStep } from '../flow/step-kind.js';
import { stepAt } from '../scopes/step-at.js';
import type { ActionRef } from '../task/action-ref.js';
import type { LockTicket } from '../task/lock-ticket.js';
import { isAlertTask } from '../task/parent.js';
import type { Task } from '../task/task.js';

/**
 * Work that follows from a document once it is stored, besides the messages of what it queued. Each
 * may be done twice, and is asked for again at the task's own time, should it be lost.
 *
 * - `answer`: work out what the templates of an action come to.
 * - `tend_children`: look after its child tasks.
 * - `free_locks`: these tickets are no longer wanted, and leave their lines.
 * - `take_locks`: look after the locks that it waits for.
 * - `start_failure_flow`: start its failure flow.
 * - `start_alert`: start its alert task.
 * - `end_alert`: end these alert tasks of it.
 * - `tend_alert`: it is an alert task, and ends if its parent calls nobody any more.
 */
export type Effect =
  | { readonly kind: 'answer'; readonly ref: ActionRef }
  | { readonly kind: 'tend_children' }
  | { readonly kind: 'free_locks'; readonly tickets: readonly LockTicket[] }
  | { readonly kind: 'take_locks' }
  | { readonly kind: 'start_failure_flow' }
  | { readonly kind: 'start_alert' }
  | { readonly kind: 'end_alert'; readonly ended: EndedAlert }
  | { readonly kind: 'tend_alert' };

const NO_EFFECTS: readonly Effect[] = Object.freeze([]);

/** The effects of a change, in their order; `task`: the document that it made. */
export function effectsOf(change: Change, task: Task): readonly Effect[] {
  const { alerting, asked, locking } = change;
  const isFailed = wantsFailureTask(task);
  const isCalling = wantsAlertTask(task);
  const { ended } = alerting;
  const { freed, isWaiting } = locking;
  const isTended = isWaitingAlert(task);
  const isOwed = isFailed || isCalling || isTended || ended !== null;
  if (asked.length === 0 && freed.length === 0 && !isWaiting && !isOwed) return NO_EFFECTS;
  const effects: Effect[] = asked.map((ref) => ({ kind: 'answer', ref }));
  if (asked.some(({ step }) => isParentStep(stepAt(task, step))))
    effects.push({ kind: 'tend_children' });
  if (freed.length > 0) effects.push({ kind: 'free_locks', tickets: freed });
  if (isWaiting) effects.push({ kind: 'take_locks' });
  if (isFailed) effects.push({ kind: 'start_failure_flow' });
  if (ended !== null) effects.push({ kind: 'end_alert', ended });
  if (isCalling) effects.push({ kind: 'start_alert' });
  if (isTended) effects.push({ kind: 'tend_alert' });
  return effects;
}

/** Whether it is an alert task that waits for its command: a parent may have ended it in vain. */
function isWaitingAlert({ outcome, plan, revision, runs }: Task): boolean {
  if (!isAlertTask(plan.parent) || outcome !== null || revision === 1) return false;
  return runs.every(({ normal }) => normal.lease === null);
}

/** The actions whose templates are to be worked out. */
export function askedIn(effects: readonly Effect[]): readonly ActionRef[] {
  return effects.flatMap((effect) => (effect.kind === 'answer' ? [effect.ref] : []));
}
