import { isLimited, type Limits, type Principal } from '#access';
import { seesFlow, seesModule, seesTask } from '#access';
import type { FlowVersion, Task } from '#core';
import { forbidden, type Problem } from '#http-server';
import { isOfTasks } from '#notifications';
import { type DeliveryRecord, isUnreadable, type ListedTask, type NotificationKind } from '#ports';
import { RecordUnreadable, TaskUnreadable } from '#ports';
import type { OssOptions } from '../options.js';
import { findTask, taskNotFound } from '../tasks/find-task.js';

/** The task, where the caller sees it. Throws the `Problem` that there is none where not. */
export async function findVisible(
  store: Pick<OssOptions['store'], 'get'>,
  taskId: string,
  principal: Principal,
): Promise<Task> {
  const task = await findTask(store, taskId).catch((error: unknown) => {
    // Of one that cannot be read nothing is known that a limit could go by.
    if (error instanceof TaskUnreadable && isLimited(principal)) return null;
    throw error;
  });
  if (task !== null && seesTask(principal, task.plan)) return task;
  throw taskNotFound(taskId);
}

/**
 * Whether the caller sees a task of a list; one that cannot be read is left to whoever sees all.
 */
export function seesListed(limits: Pick<Limits, 'flows' | 'labels'>, item: ListedTask): boolean {
  const whole = { ...limits, modules: null };
  return isUnreadable(item) ? !isLimited(whole) : seesTask(whole, item);
}

/** Records that requests store under names, in messages. */
export type NamedNoun = 'module limit' | 'notification' | 'schedule';

/**
 * The problem that a name is taken by something that the caller does not see. Names are one name
 * space, so this much shows, and nothing else of it.
 */
export function nameTaken(principal: Principal, kind: NamedNoun): Problem {
  return forbidden(principal, `may not use this name, which another ${kind} has`);
}

/** Null for a record that cannot be read, where the caller has limits: nobody knows whose it is. */
export function nullWhereHidden(principal: Principal): (error: unknown) => null {
  return (error) => {
    if (error instanceof RecordUnreadable && isLimited(principal)) return null;
    throw error;
  };
}

/** The facts of notifications that tell how busy a module is. */
const MODULE_FACTS: readonly NotificationKind[] = ['backlog', 'executor_gone'];

/** Whether the caller may be told of such facts at all. */
export function seesFacts(principal: Principal, kind: NotificationKind): boolean {
  if (isOfTasks(kind)) return true;
  return !isLimited(principal) && (principal.modules === null || !MODULE_FACTS.includes(kind));
}

/** Whether the caller sees a message of a notification that he sees. */
export function seesDelivery(principal: Principal, delivery: DeliveryRecord): boolean {
  const { kind, subject } = delivery;
  const isOfModule = MODULE_FACTS.some((fact) => fact === kind);
  return !isOfModule || seesModule(principal, subject);
}

/** The flows of these that the caller sees. */
export function visibleFlows(
  versions: readonly FlowVersion[],
  principal: Principal,
): readonly FlowVersion[] {
  if (principal.flows === null) return versions;
  return versions.filter(({ definition }) => seesFlow(principal, definition.name));
}
