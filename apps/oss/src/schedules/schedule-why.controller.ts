import { Controller, Inject } from '@nestjs/common';
import type { Principal } from '#access';
import { isFinal } from '#core';
import { Problem } from '#http-server';
import { type ScheduleRecord, TaskUnreadable } from '#ports';
import { authorsOf } from '../access/authors.js';
import { hiddenAmong } from '../access/hidden-tasks.js';
import { findStartable } from '../flows/find-startable.js';
import { type AccessParts, type CommonParts, OSS_OPTIONS, type ScheduleParts } from '../options.js';
import { explainSchedule, type ScheduleExplanation, tasksIn } from './explain-schedule.js';
import { findNamed } from '../requests/named-resource.js';
import { schedulesIn } from './write-schedule.js';
import { SCHEDULE_ROUTES } from './schedules.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Says why a schedule starts no task, and how its latest moments fared. */
@Controller()
export class ScheduleWhyController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & ScheduleParts & AccessParts,
  ) {}

  /** The reasons, each with its evidence and what may be done. */
  @Handles(SCHEDULE_ROUTES.explainSchedule)
  async why({
    path: { name },
    principal,
  }: Asked<typeof SCHEDULE_ROUTES.explainSchedule>): Promise<ScheduleExplanation> {
    const record = await findNamed(schedulesIn(this.options), name, principal);
    const authorOf = await authorsOf(this.options, [record]);
    return explainSchedule({
      record,
      now: this.options.clock.now(),
      author: authorOf(record),
      flowFault: await this.flowFault(record, principal),
      running: await this.running(record),
      hidden: await hiddenAmong(tasksIn(record), principal, this.options),
    });
  }

  private async flowFault({ order }: ScheduleRecord, principal: Principal): Promise<string | null> {
    try {
      await findStartable(order.flow, principal, this.options);
      return null;
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
  }

  private async running({ running }: ScheduleRecord): Promise<readonly string[]> {
    const live = await Promise.all(running.map((taskId) => this.isLive(taskId)));
    return running.filter((_, place) => live[place]);
  }

  private async isLive(taskId: string): Promise<boolean> {
    try {
      const task = await this.options.store.get(taskId);
      return task !== null && !isFinal(task.status);
    } catch (error) {
      if (error instanceof TaskUnreadable) return true;
      throw error;
    }
  }
}
