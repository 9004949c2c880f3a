import type { FastifyReply } from 'fastify';
import type { Task } from '#core';
import { clientAddress } from '#http-server';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import type { Asked } from '../requests/asked.js';
import { idempotencyKeyOf, traceparentOf } from '../requests/headers.js';
import type { RequestOrigin, TakenTask } from './task-intake.js';
import { receiptJson } from './task.presenter.js';

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
