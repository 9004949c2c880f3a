import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { EventLog, StoredEvent } from './event-log.js';
import { EVENT_LOG } from './monitor.tokens.js';

const LIMIT = 50;
const LIMIT_MAX = 200;

/** What tasks have reported, newest first. */
@Controller('modules/monitor')
export class EventsController {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  @Get('events')
  events(
    @Query('limit') limit?: string,
    @Query('taskId') taskId?: string,
  ): { items: readonly StoredEvent[] } {
    const wanted = Math.trunc(Number(limit ?? LIMIT));
    const bounded = Math.min(LIMIT_MAX, Math.max(1, wanted || LIMIT));
    return { items: this.log.list(bounded, taskId) };
  }
}
