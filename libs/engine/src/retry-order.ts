import {
  type ChildrenWish,
  FAILED_CHILD,
  isFailureTask,
  type Refusal,
  type RetryRequested,
  statusName,
  type Task,
} from '#core';
import type { TaskStore } from '#ports';

/** A retry as a person asks for it: one child task is named by its id. */
export interface RetryOrder extends Omit<RetryRequested, 'children'> {
  readonly children?: Exclude<ChildrenWish, object> | { readonly id: string } | undefined;
}

/**
 * The event that a person's retry of a task asks for, or why it asks for none: the child task that
 * it names is not one, or has not failed. Throws `StoreUnavailable`.
 */
export async function retryEvent(
  store: Pick<TaskStore, 'get'>,
  taskId: string,
  { children, ...order }: RetryOrder,
): Promise<RetryRequested | Refusal> {
  if (children === undefined) return order;
  if (typeof children === 'string') return { ...order, children };
  const { id } = children;
  const child = await store.get(id);
  const parent = child?.plan.parent ?? null;
  if (child === null || parent?.taskId !== taskId || isFailureTask(parent)) {
    const message = `task ${id} is no child task of this one`;
    return { kind: 'refused', code: 'NO_SUCH_CHILD', message };
  }
  const fault = faultOf(child);
  if (fault !== null) return { kind: 'refused', code: 'ILLEGAL_ACTION', message: fault };
  return { ...order, children: { run: parent.run, index: parent.index } };
}

/** Why a child task cannot be begun anew; null: it can, as one that has failed stays so. */
function faultOf({ plan, status }: Task): string | null {
  if (FAILED_CHILD.includes(status)) return null;
  return `child task ${plan.taskId} has not failed: it is ${statusName(status)}`;
}
