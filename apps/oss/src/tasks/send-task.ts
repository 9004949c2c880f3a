import type { FastifyReply } from 'fastify';
import type { Task } from '#core';
import { tagOf, taskJson } from './task.presenter.js';

/** Answers with the whole task and the tag of its revision. */
export function sendTask(reply: FastifyReply, task: Task): void {
  reply.header('etag', tagOf(task)).type('application/json; charset=utf-8').send(taskJson(task));
}
