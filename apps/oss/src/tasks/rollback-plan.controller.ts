import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Task } from '#core';
import { hiddenIn } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { estimateUndos } from '../estimate/estimate.js';
import { presentEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { plannerFor, type Viewer } from './family-plan.js';
import { nameAt, presentPlace, presentUndos } from './plan.presenter.js';
import { sendWithout } from './send-task.js';
import { OUTLOOK_ROUTES } from './outlook.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** The steps that would be undone if a task went back now. */
type PublicPlan = Shown<'RollbackPlan'>;

/** Says what a rollback would do before anybody asks for it. */
@Controller()
export class RollbackPlanController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & ExecutorParts,
    @Inject(PastTasks) private readonly past: PastTasks,
    private readonly work: RequestWork,
  ) {}

  /** The undos of a task in the order in which they would happen if it turned round now. */
  @Handles(OUTLOOK_ROUTES.planRollback)
  async plan(
    { path: { taskId }, principal, request }: Asked<typeof OUTLOOK_ROUTES.planRollback>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    const shown = await this.work.run(request, 'plan', (draft) => {
      return this.planOf(task, { principal, draft });
    });
    sendWithout(reply, shown, await hiddenIn(task, principal, this.options));
  }

  private async planOf(task: Task, { draft, principal }: Viewer): Promise<PublicPlan> {
    const now = this.options.clock.now();
    const plan = await plannerFor(this.options, { principal, draft }).plan(task);
    const { isCut, leftOver, obstacle, own, undos } = plan;
    const isTold = obstacle === null && !isCut;
    const told = { now, past: this.past.seenBy(principal), undos: own.undos };
    const estimate = isTold ? await estimateUndos(task, told) : null;
    return {
      items: await presentUndos(this.options, undos, draft),
      pivot: own.pivot === null ? null : nameAt(task, own.pivot),
      leftOver: leftOver.map(presentPlace),
      obstacle,
      to: own.to === null ? null : nameAt(task, own.to),
      isCut,
      estimate: estimate && presentEstimate(estimate),
    };
  }
}
