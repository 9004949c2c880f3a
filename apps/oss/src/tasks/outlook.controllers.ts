import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { JsonValue, Task } from '#core';
import { runIdOf } from '#core/scopes';
import { maskValues } from '#core/secrets';
import { type ParameterLayer, taskLayers, type Writer } from '#core/values';
import { hiddenIn } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { estimateUndos } from '../estimate/estimate.js';
import { presentEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { plannerFor, type Viewer } from './family-plan.js';
import { nameAt, presentPlace, presentUndos } from './plan.presenter.js';
import { sendWithout } from './answer-task.js';
import { seconds } from './standing.presenter.js';
import { OUTLOOK_ROUTES } from './outlook.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';
import { type TaskCounts, TaskSearches } from './task-searches.js';

/** The steps that would be undone if a task went back now. */
type PublicPlan = Shown<'RollbackPlan'>;

/** The writer of a value; of a step also the id of its run. */
type PublicWriter = Writer & { readonly id?: string };

/** A value that a parameter had, and where it is from. */
interface WrittenValue {
  readonly value: JsonValue;
  readonly writer: PublicWriter;
  /** Whole seconds since 1970; null: it is not known. */
  readonly at: number | null;
}

const NOTHING: TaskCounts = { total: 0, counts: {}, isComplete: true };

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

/** Tells where the parameters of a task are from. */
@Controller()
export class ProvenanceController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts) {}

  /** For each parameter every value it had; the last one holds now. */
  @Handles(OUTLOOK_ROUTES.getProvenance)
  async get(
    { path: { taskId }, principal }: Asked<typeof OUTLOOK_ROUTES.getProvenance>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    const found = new Map<string, WrittenValue[]>();
    for (const layer of taskLayers(task)) {
      const writer = writerOf(task, layer);
      const at = seconds(timeOf(task, layer));
      const values = task.hasSecrets ? maskValues(layer.values) : layer.values;
      for (const [key, value = null] of Object.entries(values)) {
        const written = { value, writer, at };
        const earlier = found.get(key);
        if (earlier === undefined) found.set(key, [written]);
        else earlier.push(written);
      }
    }
    // fromEntries defines members, so that no key can reach a prototype.
    const shown = Object.fromEntries(found);
    sendWithout(reply, shown, await hiddenIn(task, principal, this.options));
  }
}

function writerOf(task: Task, { place, writer }: ParameterLayer): PublicWriter {
  return place === undefined ? writer : { ...writer, id: runIdOf(task, place) };
}

/** The request and the constants are as old as the task. */
function timeOf({ plan, runs }: Task, { at, place }: ParameterLayer): number | null {
  if (place === undefined) return at ?? plan.createdAt;
  return runs[place]?.normal.endedAt ?? null;
}

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
