import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from '#http-server';
import { readEventsRequest } from '../requests/events.query.js';
import { JSON_TYPE } from '../tasks/answer-task.js';
import { wantsStream } from '../tasks/task-events.controller.js';
import { listedJson } from '../tasks/task.presenter.js';
import { ChangeStreams } from './change-streams.js';

/** Tells of changes of all tasks that the caller sees. */
@Controller('v1/events')
export class EventsController {
  constructor(private readonly streams: ChangeStreams) {}

  /** Server-sent events for clients that accept them, else one page of what has changed. */
  @Get()
  async events(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const order = { ...readEventsRequest(request), request };
    varyBy(reply, 'Accept');
    if (wantsStream(request)) return this.streams.open(order, reply);
    const { changes, last } = await this.streams.page(order);
    const items = changes.map(({ item }) => listedJson(item)).join(',');
    reply.type(JSON_TYPE);
    reply.send(`{"items":[${items}],"lastEventId":"${last}"}`);
  }
}
