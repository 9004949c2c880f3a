import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { principalOf } from '#http-server';
import { RequestWork } from '../access/request-work.js';
import { readCountRequest } from '../requests/list-tasks.query.js';
import { type TaskCounts, TaskSearches } from './task-searches.js';

const NOTHING: TaskCounts = { total: 0, counts: {}, isComplete: true };

/** Counts tasks. */
@Controller('v1')
export class TaskCountsController {
  constructor(
    private readonly searches: TaskSearches,
    private readonly work: RequestWork,
  ) {}

  /**
   * How many of the tasks that the caller sees have each status, flow, or value of a label; with
   * `every` also by when they were created.
   */
  @Get('tasks::count')
  async count(@Req() request: FastifyRequest): Promise<TaskCounts & { readonly by: string }> {
    const { by, everyMs, query, search } = readCountRequest(request.query);
    const principal = principalOf(request);
    const narrowed = await this.searches.narrow(query, search, { principal });
    if (narrowed !== null) {
      const counted = await this.work.run(request, 'read', (signal) => {
        return this.searches.count(narrowed, { by, everyMs, signal });
      });
      return { by, ...counted };
    }
    return { by, ...NOTHING, ...(everyMs !== undefined && { intervals: [] }) };
  }
}
