import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import type { ResumeRequested } from '../task/event.js';
import { type Pause, TASK_STATUS } from '../task/status.js';
import { isAsking } from '../kinds/question-of.js';
import { openActions } from '../scopes/task-index.js';
import { APPLIED, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ActionRun } from '../task/action-run.js';

const RULE: ActionRule = {
  kind: 'resume_requested',
  verb: 'resume',
  legalIn: [TASK_STATUS.paused],
};

/**
 * A person lets the task go on. Queued actions are sent again, as their messages may have come
 * while the task was paused. Deadlines move on by the length of the pause.
 */
export function resumeRequested(change: Change, event: ResumeRequested): Verdict {
  const verdict = admitAction(change, event, RULE);
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor: event.actor, message: event.reason });
  const { paused } = change.base;
  change.pause(null);
  for (const ref of openActions(change.base)) {
    const run = change.run(ref);
    if (run !== null && paused !== null) goOn(change, ref, { run, paused });
  }
  advance(change);
  return APPLIED;
}

function goOn(
  change: Change,
  ref: ActionRef,
  { paused, run }: { readonly paused: Pause; readonly run: ActionRun },
): void {
  if (isAsking(change, ref)) {
    change.ask(ref, run);
    return;
  }
  if (run.state !== 'queued' && run.state !== 'waiting') return;
  const { deadline, expiresAt } = run;
  const next =
    run.state === 'queued'
      ? change.queue(ref, run, run.orderAt ?? undefined)
      : change.edit(ref, run, run.state);
  const restedMs = Math.max(0, change.now - paused.at);
  if (deadline !== null) next.deadline = deadline + restedMs;
  if (expiresAt !== null) next.expiresAt = expiresAt + restedMs;
}
