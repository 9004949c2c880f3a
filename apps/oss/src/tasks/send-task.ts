import type { FastifyReply } from 'fastify';
import type { Task } from '#core';
import { principalOf } from '#http-server';
import {
  type HiddenIds,
  hiddenIn,
  type TaskSummaries,
  withoutIds,
} from '../access/hidden-tasks.js';
import { JSON_TYPE } from './answer-task.js';
import { tagOf, taskJson } from './task.presenter.js';

/**
 * Answers with the whole task, without tasks that the caller does not see, and with the tag of its
 * revision. Throws `StoreUnavailable`.
 */
export async function sendTask(
  reply: FastifyReply,
  task: Task,
  summaries: TaskSummaries,
): Promise<void> {
  const hidden = await hiddenIn(task, principalOf(reply.request), summaries);
  reply.header('etag', tagOf(task)).type(JSON_TYPE).send(taskJson(task, hidden));
}

/** Answers with something about a task, without tasks that the caller does not see. */
export function sendWithout(reply: FastifyReply, body: object, hidden: HiddenIds): void {
  reply.type(JSON_TYPE).send(withoutIds(JSON.stringify(body), hidden));
}
