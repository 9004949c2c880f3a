import {
  type ChildRef,
  type ChildrenWish,
  type EventOf,
  FAILED_CHILD,
  isOwedTask,
  type Refusal,
  statusName,
  type Task,
  TASK_STATUS,
  type TaskEvent,
} from '#core';
import { pivotsOfTask } from '#core/scopes';
import type { TaskStore } from '#ports';
import { type CompleteOrder, orderedCompletion } from './complete-order.js';

/** The child tasks that a person has begun again: one of them is named by its id. */
interface ChildrenOrder {
  readonly children?: Exclude<ChildrenWish, object> | { readonly id: string } | undefined;
}

/** A retry as a person asks for it. */
export interface RetryOrder extends Omit<EventOf<'retry_requested'>, 'children'>, ChildrenOrder {}

/** A reset as a person asks for it. */
export interface ResetOrder extends Omit<EventOf<'reset_requested'>, 'children'>, ChildrenOrder {}

/**
 * The event that a person's retry, reset or completion of a task asks for, or why it asks for none:
 * the child task that it names is not one, or cannot be begun again; the step that it names does
 * not wait. Other events ask for themselves. Throws `StoreUnavailable`.
 */
export async function orderedEvent(
  store: Pick<TaskStore, 'get'>,
  taskId: string,
  order:
    | RetryOrder
    | ResetOrder
    | CompleteOrder
    | Exclude<TaskEvent, EventOf<'retry_requested'> | EventOf<'reset_requested'>>,
): Promise<TaskEvent | Refusal> {
  if (order.kind === 'complete_ordered') return orderedCompletion(store, taskId, order);
  if (order.kind !== 'retry_requested' && order.kind !== 'reset_requested') return order;
  const named = typeof order.children === 'object' ? order.children.id : null;
  const child = named === null ? null : await store.get(named);
  if (named !== null && (child === null || !isChildOf(child, taskId))) {
    return noSuchChild(named);
  }
  return order.kind === 'retry_requested' ? retryOf(order, child) : resetOf(order, child);
}

/** Why an action that names a task as a child task is refused, if the task is none. */
export function noSuchChild(taskId: string): Refusal {
  const message = `task ${taskId} is no child task of this one`;
  return { kind: 'refused', code: 'NO_SUCH_CHILD', message };
}

function isChildOf({ plan: { parent } }: Task, taskId: string): boolean {
  return parent?.taskId === taskId && !isOwedTask(parent);
}

function retryOf({ children, ...order }: RetryOrder, child: Task | null) {
  if (child === null) return typeof children === 'string' ? { ...order, children } : order;
  // One that has failed stays so.
  if (hasFailed(child)) return { ...order, children: refOf(child) };
  return refused(`child task ${child.plan.taskId} has not failed: it is ${wordFor(child)}`);
}

function resetOf({ children, ...order }: ResetOrder, child: Task | null) {
  if (child === null) return typeof children === 'string' ? { ...order, children } : order;
  if (hasFailed(child)) return { ...order, children: refOf(child) };
  const { taskId } = child.plan;
  if (child.status !== TASK_STATUS.succeeded) {
    return refused(`child task ${taskId} has not ended: it is ${wordFor(child)}`);
  }
  if (pivotsOfTask(child).length > 0) {
    return refused(`child task ${taskId} has passed a point of no return, and is not undone`);
  }
  return { ...order, children: { ...refOf(child), isDone: true } };
}

function hasFailed({ status }: Task): boolean {
  return FAILED_CHILD.includes(status);
}

function refOf({ plan: { parent } }: Task): ChildRef {
  return { run: parent?.run ?? '', index: parent?.index ?? 0 };
}

function wordFor({ status }: Task): string {
  return statusName(status);
}

function refused(message: string): Refusal {
  return { kind: 'refused', code: 'ILLEGAL_ACTION', message, about: 'children' };
}
