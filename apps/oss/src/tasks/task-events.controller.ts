import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from '#http-server';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { lastEventIdOf, SEQ } from '../requests/events.query.js';
import { presentEvents, seesStacks } from './event.presenter.js';
import { EventStreams } from './event-streams.js';
import { hidingFor } from '../access/hidden-tasks.js';
import { findVisible } from '../access/visible.js';
import { sendWithout } from './answer-task.js';
import { TASK_ROUTES } from './tasks.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Shows a task's journal, as a list or live. */
@Controller()
export class TaskEventsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly streams: EventStreams,
  ) {}

  /** Server-sent events for clients that accept them, else the journal so far. */
  @Handles(TASK_ROUTES.listEvents)
  async events(
    { path, principal, query, request }: Asked<typeof TASK_ROUTES.listEvents>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventIdOf(request, query.lastEventId, SEQ);
    const task = await findVisible(this.options.store, path.taskId, principal);
    const hiding = await hidingFor(task, principal, this.options);
    varyBy(reply, 'Accept');
    if (wantsStream(request)) {
      return this.streams.open({ task, after, hiding, request }, reply);
    }
    const items = presentEvents(task.journal, after ?? 0, seesStacks(principal));
    sendWithout(reply, { items }, hiding(task));
  }
}

/** Whether the client takes server-sent events, and prefers no JSON. */
export function wantsStream({ headers, method }: FastifyRequest): boolean {
  if (method !== 'GET') return false;
  const weights = new Map((headers.accept ?? '').toLowerCase().split(',').map(weightOf));
  const json = ['application/json', 'application/*', '*/*'].find((type) => weights.has(type)) ?? '';
  const stream = weights.get('text/event-stream') ?? 0;
  return stream > 0 && stream >= (weights.get(json) ?? 0);
}

/** A media type of an `Accept` header, with its weight. */
function weightOf(entry: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, Number(weight?.slice(2) ?? 1)];
}
