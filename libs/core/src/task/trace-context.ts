import type { TaskPlan } from './task.js';

/** The id of a task without its hyphens; its second half is never all zeros. */
const TRACE_ID = /^[\da-f]{16}[89ab][\da-f]{15}$/;

/** A trace context that nobody decided about: its span has the second half of the trace's id. */
const OWN = /^00-[\da-f]{16}([\da-f]{16})-\1-00$/;

/**
 * The W3C trace context of a task whose request was part of no trace: one for all its messages, and
 * not recorded by anybody so far. Null: the task's id has another form than those made here.
 */
export function ownTraceparent(taskId: string): string | null {
  const id = taskId.replaceAll('-', '');
  return TRACE_ID.test(id) ? `00-${id}-${id.slice(16)}-00` : null;
}

/** Whether a trace context was made of a task's id, so that nobody decided whether to record it. */
export function isOwnTraceparent(traceparent: string): boolean {
  return OWN.test(traceparent);
}

/** The trace context of a task: that of the request that started it, else its own. */
export function traceparentOf({
  taskId,
  traceparent,
}: Pick<TaskPlan, 'taskId' | 'traceparent'>): string | null {
  return traceparent ?? ownTraceparent(taskId);
}
