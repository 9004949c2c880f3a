import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Task } from '#core';
import { principalOf } from '#http-server';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { actorOf, idempotencyKeyOf, traceparentOf } from '../requests/headers.js';
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
export function originOf(request: FastifyRequest, body?: CreateTaskRequest): RequestOrigin {
  const { headers } = request;
  const length = headers['content-length'];
  return {
    actor: actorOf(request),
    principal: principalOf(request),
    idempotencyKey: idempotencyKeyOf(headers, body?.idempotencyKey),
    traceparent: traceparentOf(headers),
    bodyBytes: length === undefined ? undefined : Number(length),
  };
}
