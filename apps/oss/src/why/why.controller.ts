import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, seesModule } from '#access';
import { type Task, waitingTickets } from '#core';
import { expectNoParameters, principalOf } from '#http-server';
import { countHolding, type LockEntry, type QueueDepth } from '#ports';
import { hiddenAmong, hiddenIn } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { estimateTask } from '../estimate/estimate.js';
import { presentEstimate, type PublicEstimate } from '../estimate/estimate.presenter.js';
import { type KnownPast, PastTasks } from '../estimate/past-tasks.js';
import { type UsualTime, usualTimes } from '../estimate/usual-time.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { sendWithout } from '../tasks/send-task.js';
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
    @Res() reply: FastifyReply,
  ): Promise<void> {
    expectNoParameters(query);
    const { clock, store } = this.options;
    const began = clock.monotonic();
    const task = await findVisible(store, taskId, request);
    const storeMs = Math.round(clock.monotonic() - began);
    const principal = principalOf(request);
    const shown = await this.work.run(request, 'read', () => {
      return this.explain(task, storeMs, principal);
    });
    sendWithout(reply, shown, await hiddenIn(task, principal, this.options));
  }

  private async explain(
    task: Task,
    storeMs: number,
    principal: Principal,
  ): Promise<PublicExplanation> {
    const { clock, executors, sessions, transport } = this.options;
    const now = clock.now();
    const isOpen = task.outcome === null;
    const past = this.past.seenBy(principal);
    // Side by side: a store that is slow is asked by nothing so much as by this.
    const [depths, estimate, seen, listed, lines, usual] = await Promise.all([
      this.depthsOf(task),
      estimateTask(task, { now, past }),
      isOpen ? executors.seen() : [],
      isOpen ? sessions.listSessions() : null,
      this.linesOf(task),
      usualOf(task, past),
    ]);
    const brokerObstacle = transport.obstacle?.message ?? null;
    const { redispatchAfterMs } = this.options;
    const holders = [...lines.values()].flatMap((line) => line.slice(0, countHolding(line)));
    const ids = holders.map((holder) => holder.taskId);
    const hiddenHolders = await hiddenAmong(ids, principal, this.options);
    const sees = (module: string): boolean => seesModule(principal, module);
    const known = { executors: seen, sessions: listed, depths, lines, hiddenHolders };
    const around = { ...known, redispatchAfterMs, brokerObstacle, seesModule: sees };
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
}

async function usualOf(task: Task, past: KnownPast): Promise<ReadonlyMap<string, UsualTime>> {
  if (task.outcome !== null) return new Map();
  return task.way === 'back'
    ? usualTimes(await past.rolledBack(task.plan), 'back')
    : usualTimes(await past.succeeded(task.plan), 'forward');
}
