import type { FastifyReply } from 'fastify';
import type { Task } from '#core';
import { clientAddress, principalOf } from '#http-server';
import {
  type HiddenIds,
  hiddenIn,
  type TaskSummaries,
  withoutIds,
} from '../access/hidden-tasks.js';
import type { CommonParts } from '../options.js';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import type { Asked } from '../requests/asked.js';
import { idempotencyKeyOf, traceparentOf } from '../requests/headers.js';
import type { RequestOrigin, TakenTask } from './task-intake.js';
import { receiptJson, tagOf, taskJson } from './task.presenter.js';

/** The type of every answer in JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Says where the task is that was made, or was there before. */
export function announceTask(reply: FastifyReply, { replayed, task }: TakenTask): void {
  reply.code(replayed ? 200 : 201).header('location', `/v1/tasks/${task.plan.taskId}`);
  if (replayed) reply.header('idempotent-replayed', 'true');
}

/** Answers with what the creator of a task is told. */
export function sendReceipt(reply: FastifyReply, task: Task): void {
  reply.type(JSON_TYPE);
  reply.send(receiptJson(task));
}

/** The origin of a request for a task: its caller and its headers. */
export function originOf(
  { actor, principal, request }: Pick<Asked, 'actor' | 'principal' | 'request'>,
  body?: CreateTaskRequest,
): RequestOrigin {
  const { headers, id: requestId, socket } = request;
  const length = headers['content-length'];
  const client = clientAddress(socket);
  return {
    actor,
    // A connection over a socket of this machine has no address.
    shown: { requestId, ...(client !== '' && { client }), operator: actor },
    principal,
    idempotencyKey: idempotencyKeyOf(headers, body?.idempotencyKey),
    traceparent: traceparentOf(headers),
    bodyBytes: length === undefined ? undefined : Number(length),
  };
}

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
