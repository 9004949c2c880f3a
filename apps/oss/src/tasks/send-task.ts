import type { FastifyReply } from 'fastify';
import type { Task } from '#core';
import { principalOf } from '#http-server';
import {
  type HiddenIds,
  hiddenIn,
  type TaskSummaries,
  withoutIds,
} from '../access/hidden-tasks.js';
import type { CommonParts } from '../options.js';
import { JSON_TYPE } from './answer-task.js';
import { tagOf, taskJson } from './task.presenter.js';

/**
 * Answers with the whole task, without tasks that the caller does not see, and with the tag of its
 * revision. Throws `StoreUnavailable`.
 */
export async function sendTask(
  reply: FastifyReply,
  task: Task,
  parts: TaskSummaries & Pick<CommonParts, 'progress'>,
): Promise<void> {
  const hidden = await hiddenIn(task, principalOf(reply.request), parts);
  const progressOf = runsNow(task) ? await parts.progress.look() : undefined;
  reply
    .header('etag', tagOf(task))
    .type(JSON_TYPE)
    .send(taskJson(task, hidden, progressOf));
}

/** Whether an attempt of the task runs. */
function runsNow({ runs }: Task): boolean {
  return runs.some(({ normal, rollback }) => {
    return normal.lease !== null || (rollback?.lease ?? null) !== null;
  });
}

/** Answers with something about a task, without tasks that the caller does not see. */
export function sendWithout(reply: FastifyReply, body: object, hidden: HiddenIds): void {
  reply.type(JSON_TYPE).send(withoutIds(JSON.stringify(body), hidden));
}
