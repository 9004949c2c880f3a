import { invariant } from '../assert.js';
import { mergeParameters } from '../json/json.js';
import type { Action } from '../flow/action.js';
import { type Dispatch, MESSAGE_TYPES, publicRetry } from '../task/message.js';
import { orderTime } from '../task/order-time.js';
import { outermostPlace, type Placed, stepAt } from './step-at.js';
import { runIdOf } from './run-id.js';
import type { Task, TaskPlan } from '../task/task.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ActionRun } from '../task/action-run.js';

/** The action that a reference names; undefined where the step has no such half. */
export function actionOf(task: Pick<Task, 'plan' | 'scopes'>, ref: ActionRef): Action | undefined {
  const step = stepAt(task, ref.step);
  return (ref.direction === 'normal' ? step?.normal : step?.rollback) ?? undefined;
}

/** The run that a reference names; null where there is no such action. */
export function runOf(
  { runs }: Pick<Task, 'runs'>,
  { direction, step }: ActionRef,
): ActionRun | null {
  const halves = runs[step];
  return (direction === 'normal' ? halves?.normal : halves?.rollback) ?? null;
}

/** Number of the attempt that a queued action's message asks for. */
export function nextAttempt(run: ActionRun): number {
  return run.look === 'none' ? run.attempts + 1 : run.attempts;
}

/** Seconds of head start of the actions of a step: its own, or those of its task. */
export function priorityOf(task: Pick<Task, 'plan' | 'scopes'>, place: number): number {
  return stepAt(task, place)?.priority ?? task.plan.priority;
}

/** Order time of a queued action. Documents of builds that kept none have that of the task. */
export function orderOf(plan: TaskPlan, run: ActionRun): number {
  return run.orderAt ?? orderTime(plan.createdAt, plan.priority);
}

/** The message that asks for the next attempt of a queued action. */
export function dispatchFor(task: Placed, ref: ActionRef, run: ActionRun): Dispatch {
  const { plan } = task;
  const action = actionOf(task, ref);
  invariant(action !== undefined, `step ${ref.step} has no ${ref.direction} action`);
  const constants = run.values ?? action.parameters;
  return {
    message: {
      v: 1,
      taskId: plan.taskId,
      cursor: outermostPlace(task, ref.step),
      type: MESSAGE_TYPES[ref.direction],
      parameters: constants ? mergeParameters([plan.parameters, constants]) : plan.parameters,
      module: action.module,
      command: action.command,
      timeout: action.timeoutMs / 1_000,
      retry: publicRetry(action.retry),
      step: stepAt(task, ref.step)?.name ?? '',
      run: runIdOf(task, ref.step),
      attempt: nextAttempt(run),
    },
    priority: priorityOf(task, ref.step),
    orderAt: orderOf(plan, run),
    traceparent: plan.traceparent,
  };
}
