import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Task, waitingTickets } from '#core';
import { expectNoParameters } from '#nest';
import type { LockEntry, QueueDepth, SessionRecord } from '#ports';
import { findVisible } from '../access/visible.js';
import { estimateTask } from '../estimate/estimate.js';
import { presentEstimate, type PublicEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { type Explanation, explainTask, queuedModules } from './explain-task.js';

/** An explanation, and how long what is left takes; null: the task has ended. */
type PublicExplanation = Explanation & { readonly estimate: PublicEstimate | null };

/** Says why a task does not move. */
@Controller('v1/tasks')
export class WhyController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    @Inject(PastTasks) private readonly past: PastTasks,
  ) {}

  /** The reasons, each with its evidence and what may be done. */
  @Get(':taskId([^:]+)/why')
  async why(
    @Param('taskId') taskId: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
  ): Promise<PublicExplanation> {
    expectNoParameters(query);
    const { clock, executors, store, transport } = this.options;
    const began = clock.monotonic();
    const task = await findVisible(store, taskId, request);
    const storeMs = Math.round(clock.monotonic() - began);
    const depths = new Map<string, QueueDepth>();
    for (const module of queuedModules(task)) depths.set(module, await transport.depth(module));
    const now = clock.now();
    const estimate = await estimateTask(task, { now, past: this.past });
    const explained = explainTask({
      task,
      now,
      estimate,
      executors: task.outcome === null ? await executors.seen() : [],
      sessions: task.outcome === null ? await this.sessions() : null,
      depths,
      lines: await this.linesOf(task),
      brokerObstacle: transport.obstacle?.message ?? null,
      storeMs,
    });
    return { ...explained, estimate: estimate && presentEstimate(estimate) };
  }

  private async linesOf(task: Task): Promise<ReadonlyMap<string, readonly LockEntry[]>> {
    const lines = new Map<string, readonly LockEntry[]>();
    for (const { locks } of waitingTickets(task)) {
      for (const { name } of locks ?? []) {
        lines.set(name, await this.options.locks.readLine(name));
      }
    }
    return lines;
  }

  private sessions(): Promise<readonly SessionRecord[]> {
    return this.options.sessions.listSessions();
  }
}
