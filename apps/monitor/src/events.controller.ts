import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryReader } from '#http-server';
import type { EventLog, StoredEvent } from './event-log.js';
import { EVENT_LOG } from './monitor.tokens.js';

const LIMIT = 50;
const LIMIT_MAX = 200;

/** Lists the events that tasks have reported, newest first. */
@Controller('modules/monitor')
export class EventsController {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  @Get('events')
  async events(@Query() query: unknown): Promise<{ items: readonly StoredEvent[] }> {
    const reader = new QueryReader(query).expectOnly(['taskId', 'limit']);
    const taskId = reader.text('taskId');
    const limit = reader.value('limit', readLimit, `a whole number from 1 to ${LIMIT_MAX}`);
    reader.finish();
    return { items: await this.log.list(limit ?? LIMIT, taskId) };
  }
}

function readLimit(text: string): number | null {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= LIMIT_MAX ? limit : null;
}
