import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { invalidRequest, varyBy } from '#http-server';
import { hidingFor } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { type CommonParts, OSS_OPTIONS, type OutputParts } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { sendWithout } from '../tasks/answer-task.js';
import { wantsStream } from '../tasks/task-events.controller.js';
import { MARK, MARK_FORM } from './line-mark.js';
import { cursorAfter } from './logs.query.js';
import { LOG_ROUTES } from './logs.routes.js';
import { readPage } from './output-lines.js';
import { OutputStreams } from './output-streams.js';

const MARK_PATTERN = new RegExp(MARK_FORM);

/** Shows what the attempts of a task wrote, as a list or live. */
@Controller()
export class LogsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & OutputParts,
    private readonly streams: OutputStreams,
    private readonly work: RequestWork,
  ) {}

  /** Server-sent events for clients that accept them, else a page. */
  @Handles(LOG_ROUTES.listLogs)
  async list(
    { path, principal, query, request }: Asked<typeof LOG_ROUTES.listLogs>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const mark = markOf(request.headers['last-event-id']) ?? query.lastEventId;
    const task = await findVisible(this.options.store, path.taskId, principal);
    const hiding = await hidingFor(task, principal, this.options);
    varyBy(reply, 'Accept');
    const { filter } = query;
    if (wantsStream(request)) {
      return this.streams.open({ task, filter, mark, hiding, request }, reply);
    }
    const { lines, next } = await this.work.run(request, 'read', (signal) => {
      return readPage(this.options.output, { ...query, task }, signal);
    });
    const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
    const page = { nextCursor: next === null ? null : cursorAfter(next) };
    sendWithout(reply, { items: lines, dropped, page }, hiding(task));
  }
}

/** The id that the header names; undefined: it names none. Throws the `Problem` of a wrong one. */
function markOf(header: string | readonly string[] | undefined): string | undefined {
  const text = [header ?? []].flat().join();
  if (text === '') return undefined;
  if (MARK_PATTERN.test(text)) return text;
  const message = `The header \`Last-Event-ID\` must be ${MARK}.`;
  throw invalidRequest({ pointer: '/Last-Event-ID', message });
}
