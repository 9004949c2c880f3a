import { Controller } from '@nestjs/common';
import { RequestWork } from '../access/request-work.js';
import { type TaskCounts, TaskSearches } from './task-searches.js';
import { OUTLOOK_ROUTES } from './outlook.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

const NOTHING: TaskCounts = { total: 0, counts: {}, isComplete: true };

/** Counts tasks. */
@Controller()
export class TaskCountsController {
  constructor(
    private readonly searches: TaskSearches,
    private readonly work: RequestWork,
  ) {}

  /**
   * How many of the tasks that the caller sees have each status, flow, or value of a label; with
   * `every` also by when they were created.
   */
  @Handles(OUTLOOK_ROUTES.countTasks)
  async count({
    principal,
    query: wanted,
    request,
  }: Asked<typeof OUTLOOK_ROUTES.countTasks>): Promise<TaskCounts & { readonly by: string }> {
    const { by, everyMs, query, search } = wanted;
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
