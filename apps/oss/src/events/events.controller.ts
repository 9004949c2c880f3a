import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { varyBy } from '#http-server';
import { CHANGE_ID, lastEventIdOf } from '../requests/events.query.js';
import { JSON_TYPE } from '../tasks/answer-task.js';
import { wantsStream } from '../tasks/task-events.controller.js';
import { listedJson } from '../tasks/task.presenter.js';
import { ChangeStreams } from './change-streams.js';
import { TASK_ROUTES } from '../tasks/tasks.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Tells of changes of all tasks that the caller sees. */
@Controller()
export class EventsController {
  constructor(private readonly streams: ChangeStreams) {}

  /** Server-sent events for clients that accept them, else one page of what has changed. */
  @Handles(TASK_ROUTES.listChanges)
  async events(
    { query: { interest, lastEventId }, request }: Asked<typeof TASK_ROUTES.listChanges>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventIdOf(request, lastEventId, CHANGE_ID);
    const order = { interest, after, request };
    varyBy(reply, 'Accept');
    if (wantsStream(request)) return this.streams.open(order, reply);
    const { changes, last } = await this.streams.page(order);
    const items = changes.map(({ item }) => listedJson(item)).join(',');
    reply.type(JSON_TYPE);
    reply.send(`{"items":[${items}],"lastEventId":"${last}"}`);
  }
}
