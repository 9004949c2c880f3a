import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf, varyBy } from '#http-server';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { readLastEventId } from '../requests/last-event-id.js';
import { presentEvents, seesStacks } from './event.presenter.js';
import { EventStreams } from './event-streams.js';
import { hidingFor } from '../access/hidden-tasks.js';
import { findVisible } from '../access/visible.js';
import { sendWithout } from './send-task.js';

/** Shows a task's journal, as a list or live. */
@Controller('v1/tasks')
export class TaskEventsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly streams: EventStreams,
  ) {}

  /** Server-sent events for clients that accept them, else the journal so far. */
  @Get(':taskId([^:]+)/events')
  async events(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = readLastEventId(request);
    const task = await findVisible(this.options.store, taskId, request);
    const hiding = await hidingFor(task, principalOf(request), this.options);
    varyBy(reply, 'Accept');
    if (wantsStream(request)) {
      return this.streams.open({ task, after, hiding, request }, reply);
    }
    const items = presentEvents(task.journal, after ?? 0, seesStacks(principalOf(request)));
    sendWithout(reply, { items }, hiding(task));
  }
}

/** Whether the client takes server-sent events. */
export function wantsStream({ headers, method }: FastifyRequest): boolean {
  return method === 'GET' && /\btext\/event-stream\b/i.test(headers.accept ?? '');
}
