import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Task, waitingTickets } from '#core';
import { expectNoParameters } from '#http-server';
import type { LockEntry, QueueDepth } from '#ports';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { estimateTask } from '../estimate/estimate.js';
import { presentEstimate, type PublicEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { type UsualTime, usualTimes } from '../estimate/usual-time.js';
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
    private readonly work: RequestWork,
  ) {}

  /** The reasons, each with its evidence and what may be done. */
  @Get(':taskId([^:]+)/why')
  async why(
    @Param('taskId') taskId: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
  ): Promise<PublicExplanation> {
    expectNoParameters(query);
    const { clock, store } = this.options;
    const began = clock.monotonic();
    const task = await findVisible(store, taskId, request);
    const storeMs = Math.round(clock.monotonic() - began);
    return this.work.run(request, 'read', () => this.explain(task, storeMs));
  }

  private async explain(task: Task, storeMs: number): Promise<PublicExplanation> {
    const { clock, executors, sessions, transport } = this.options;
    const now = clock.now();
    const isOpen = task.outcome === null;
    // Side by side: a store that is slow is asked by nothing so much as by this.
    const [depths, estimate, seen, listed, lines, usual] = await Promise.all([
      this.depthsOf(task),
      estimateTask(task, { now, past: this.past }),
      isOpen ? executors.seen() : [],
      isOpen ? sessions.listSessions() : null,
      this.linesOf(task),
      this.usualOf(task),
    ]);
    const brokerObstacle = transport.obstacle?.message ?? null;
    const { redispatchAfterMs } = this.options;
    const known = { executors: seen, sessions: listed, depths, lines };
    const around = { ...known, redispatchAfterMs, brokerObstacle };
    const explained = explainTask({ task, now, estimate, storeMs, usual, ...around });
    return { ...explained, estimate: estimate && presentEstimate(estimate) };
  }

  private async depthsOf(task: Task): Promise<ReadonlyMap<string, QueueDepth>> {
    const { transport } = this.options;
    const asked = queuedModules(task).map(async (module) => {
      return [module, await transport.depth(module)] as const;
    });
    return new Map(await Promise.all(asked));
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

  private async usualOf(task: Task): Promise<ReadonlyMap<string, UsualTime>> {
    if (task.outcome !== null) return new Map();
    return task.way === 'back'
      ? usualTimes(await this.past.rolledBack(task.plan), 'back')
      : usualTimes(await this.past.succeeded(task.plan), 'forward');
  }
}
