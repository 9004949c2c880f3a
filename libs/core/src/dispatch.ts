import { ALERT_ACTION } from './alert.js';
import type { ActionRef } from './event.js';
import type { Action } from './flow.js';
import { type Dispatch, MESSAGE_TYPES, publicRetry } from './message.js';
import type { ActionRun, TaskPlan } from './task.js';

/** The action that a reference names; undefined where the step has no such half. */
export function actionOf(plan: TaskPlan, ref: ActionRef): Action | undefined {
  if (ref.direction === 'alert') return ALERT_ACTION;
  const step = plan.steps[ref.step];
  return (ref.direction === 'normal' ? step?.normal : step?.rollback) ?? undefined;
}

/** Number of the attempt that a queued action's message asks for. */
export function nextAttempt(run: ActionRun): number {
  return run.look === 'none' ? run.attempts + 1 : run.attempts;
}

/** The message that asks for the next attempt of a queued action. */
export function dispatchFor(plan: TaskPlan, ref: ActionRef, run: ActionRun): Dispatch {
  const action = actionOf(plan, ref) ?? ALERT_ACTION;
  const constants = action.parameters;
  return {
    message: {
      v: 1,
      taskId: plan.taskId,
      cursor: ref.step,
      type: MESSAGE_TYPES[ref.direction],
      parameters: constants ? { ...plan.parameters, ...constants } : plan.parameters,
      module: action.module,
      command: action.command,
      timeout: action.timeoutMs / 1_000,
      retry: publicRetry(action.retry),
      step: plan.steps[ref.step]?.name ?? '',
      attempt: nextAttempt(run),
    },
    priority: plan.priority,
    traceparent: plan.traceparent,
  };
}
