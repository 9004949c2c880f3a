import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import type { Task } from '#core';
import { hiddenIn } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { type Estimate, estimateTask } from '../estimate/estimate.js';
import { presentEstimate, type PublicEstimate } from '../estimate/estimate.presenter.js';
import { type KnownPast, PastTasks } from '../estimate/past-tasks.js';
import { type UsualTime, usualTimes } from '../estimate/usual-time.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { sendWithout } from '../tasks/answer-task.js';
import type { Explanation } from './cause.js';
import { FamilyStill } from './stands-still.js';
import { TaskExplainer } from './task-explainer.js';
import { OUTLOOK_ROUTES } from '../tasks/outlook.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** An explanation as HTTP shows it. */
type PublicExplanation = Explanation & {
  /** Nothing more happens unless somebody acts on it, or on each child task it waits for. */
  readonly standsStill: boolean;
  /** How long what is left takes; null: the task has ended. */
  readonly estimate: PublicEstimate | null;
};

/** Says why a task does not move. */
@Controller()
export class WhyController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    @Inject(PastTasks) private readonly past: PastTasks,
    private readonly work: RequestWork,
    private readonly explainer: TaskExplainer,
  ) {}

  /** The reasons, each with its evidence and what may be done. */
  @Handles(OUTLOOK_ROUTES.explainTask)
  async why(
    { path: { taskId }, principal, request }: Asked<typeof OUTLOOK_ROUTES.explainTask>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { clock, store } = this.options;
    const began = clock.monotonic();
    const task = await findVisible(store, taskId, principal);
    const storeMs = Math.round(clock.monotonic() - began);
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
    const now = this.options.clock.now();
    const past = this.past.seenBy(principal);
    // Side by side: a store that is slow is asked by nothing so much as by this.
    const [estimate, usual] = await Promise.all([
      estimateTask(task, { now, past }),
      usualOf(task, past),
    ]);
    const [explained, standsStill] = await Promise.all([
      this.explainer.explain(task, principal, { estimate, storeMs, usual }),
      new FamilyStill(this.options).isStill(task),
    ]);
    const left = estimate && withoutStuck(estimate, explained);
    return { ...explained, standsStill, estimate: left && presentEstimate(left) };
  }
}

/** No past task tells how long child tasks go on to stand. */
function withoutStuck(estimate: Estimate, { causes }: Explanation): Estimate {
  const stuck = causes.filter(({ code }) => code === 'CHILD_STUCK');
  const steps = [...new Set(stuck.map(({ evidence }) => evidence['step'] as string))];
  const added = steps.map((step) => ({ step, why: 'children' }) as const);
  return { ...estimate, uncounted: [...estimate.uncounted, ...added] };
}

async function usualOf(task: Task, past: KnownPast): Promise<ReadonlyMap<string, UsualTime>> {
  if (task.outcome !== null) return new Map();
  return task.way === 'back'
    ? usualTimes(await past.rolledBack(task.plan), 'back')
    : usualTimes(await past.succeeded(task.plan), 'forward');
}
