import type { EventOf, PersonsAction, Task } from '#core';

/** An act of a parent: what it does again has no effect, because its child has moved. */
export function actOf({ plan }: Task, reason: string): PersonsAction {
  return { actor: `task ${plan.taskId}`, reason, key: null };
}

/** A parent has a child task undone that succeeded. */
export function undoBy(parent: Task, reason: string): EventOf<'undo_requested'> {
  return { kind: 'undo_requested', isByParent: true, ...actOf(parent, reason) };
}
