import type { FastifyRequest } from 'fastify';
import { isLimited, type Principal, seesFlow, seesTask } from '#access';
import type { FlowVersion, Task } from '#core';
import { principalOf } from '#http-server';
import type { TaskQuery } from '#ports';
import type { OssOptions } from '../options.js';
import { findTask, taskNotFound } from '../tasks/find-task.js';

/** The task, where the caller sees it. Throws the `Problem` that there is none where not. */
export async function findVisible(
  store: OssOptions['store'],
  taskId: string,
  request: FastifyRequest,
): Promise<Task> {
  const task = await findTask(store, taskId);
  if (seesTask(principalOf(request), task.plan)) return task;
  throw taskNotFound(taskId);
}

/** The flows of these that somebody sees. */
export function visibleFlows(
  versions: readonly FlowVersion[],
  principal: Principal,
): readonly FlowVersion[] {
  if (principal.flows === null) return versions;
  return versions.filter(({ definition }) => seesFlow(principal, definition.name));
}

/**
 * The query narrowed to the tasks that the caller may see; null: there can be none. Patterns become
 * the names of existing flows, because the store finds those by an index. Whatever the query asks
 * for still holds: limits only take something away.
 */
export async function queryWithin(
  query: TaskQuery,
  principal: Principal,
  { flowStore, flows }: Pick<OssOptions, 'flowStore' | 'flows'>,
): Promise<TaskQuery | null> {
  if (!isLimited(principal)) return query;
  const labels = labelsWithin(query.labels, principal);
  if (labels === null) return null;
  const narrowed = { ...query, ...(Object.keys(labels).length > 0 && { labels }) };
  if (principal.flows === null) return narrowed;
  if (query.flow !== undefined) return seesFlow(principal, query.flow) ? narrowed : null;
  const asked = query.flows ?? (await namesOf({ flowStore, flows }));
  const seen = asked.filter((name) => seesFlow(principal, name));
  return seen.length === 0 ? null : { ...narrowed, flows: seen };
}

/** The names of all flows there are, or were. */
export async function namesOf({
  flowStore,
  flows,
}: Pick<OssOptions, 'flowStore' | 'flows'>): Promise<readonly string[]> {
  const all = [...(await flowStore.listFlows()), ...flows.list()];
  return [...new Set(all.map(({ definition }) => definition.name))];
}

function labelsWithin(
  asked: TaskQuery['labels'] = {},
  { labels }: Principal,
): Readonly<Record<string, string>> | null {
  const limits = Object.entries(labels ?? {});
  const clash = limits.some(([name, value]) => Object.hasOwn(asked, name) && asked[name] !== value);
  return clash ? null : { ...asked, ...labels };
}
