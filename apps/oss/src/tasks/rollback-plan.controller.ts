import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { seesTask } from '#access';
import { type JsonObject, runIdOf, stepAt, type Task } from '#core';
import { expectNoParameters, principalOf } from '#nest';
import type { ExecutorRecord } from '#ports';
import { findVisible } from '../access/visible.js';
import { estimateUndos } from '../estimate/estimate.js';
import { presentEstimate, type PublicEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { FamilyPlanner, type FamilyStep, type FamilyUndo } from './family-plan.js';
import { UndoParameters } from './undo-parameters.js';

/** A step of a task, or of a child task, as HTTP shows it. */
interface PublicPlace {
  /** The task that has the step: the one that was asked about, or a task below it. */
  readonly taskId: string;
  readonly step: string;
  /** Of the run. */
  readonly id: string;
}

/** One undo as HTTP shows it. */
interface PublicUndo extends PublicPlace {
  readonly module: string;
  readonly command: string;
  readonly parameters: JsonObject;
  /** Why expressions in the parameters stand as they were written; null: none does. */
  readonly unresolved: string | null;
  /** Whether an executor that was heard of lately has the command. */
  readonly served: boolean;
}

/** The steps that would be undone if a task went back now. */
interface PublicPlan {
  readonly items: readonly PublicUndo[];
  /** The step past which nothing goes back; null: there is none. */
  readonly pivot: string | null;
  /** Steps that may have had an effect, and have no rollback. */
  readonly leftOver: readonly PublicPlace[];
  /** Why the task would not go back all the way; null: it would. */
  readonly obstacle: string | null;
  /** The step to ask for, down to which the items go; null: there is none. */
  readonly to: string | null;
  /** There are more items than are shown, or child tasks that were not looked at. */
  readonly isCut: boolean;
  /** How long the undos take; null: the task would not go back, or there are too many. */
  readonly estimate: PublicEstimate | null;
}

/** Says what a rollback would do before anybody asks for it. */
@Controller('v1/tasks')
export class RollbackPlanController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    @Inject(PastTasks) private readonly past: PastTasks,
  ) {}

  /** The undos of a task in the order in which they would happen if it turned round now. */
  @Get(':taskId([^:]+)/rollback-plan')
  async plan(
    @Param('taskId') taskId: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
  ): Promise<PublicPlan> {
    expectNoParameters(query);
    const { children, clock, executors, store } = this.options;
    const task = await findVisible(store, taskId, request);
    const now = clock.now();
    const sees = (child: Task): boolean => seesTask(principalOf(request), child.plan);
    const plan = await new FamilyPlanner({ children, now, sees, store }).plan(task);
    const { isCut, leftOver, obstacle, own, undos } = plan;
    const records = undos.length === 0 ? [] : await executors.seen();
    const isTold = obstacle === null && !isCut;
    const told = { now, past: this.past, undos: own.undos };
    const estimate = isTold ? await estimateUndos(task, told) : null;
    const parameters = new UndoParameters(this.options);
    const items: PublicUndo[] = [];
    for (const each of undos) {
      items.push({ ...presentUndo(each, records), ...(await parameters.of(each)) });
    }
    return {
      items,
      pivot: own.pivot === null ? null : nameAt(task, own.pivot),
      leftOver: leftOver.map(presentPlace),
      obstacle,
      to: own.to === null ? null : nameAt(task, own.to),
      isCut,
      estimate: estimate && presentEstimate(estimate),
    };
  }
}

function nameAt(task: Task, place: number): string {
  return stepAt(task, place)?.name ?? '';
}

function presentPlace({ place, task }: FamilyStep): PublicPlace {
  return { taskId: task.plan.taskId, step: nameAt(task, place), id: runIdOf(task, place) };
}

function presentUndo(
  { task, undo }: FamilyUndo,
  records: readonly ExecutorRecord[],
): Omit<PublicUndo, 'parameters' | 'unresolved'> {
  const { command, module } = undo.action;
  const served = records.some((record) => {
    return record.module === module && record.commands.includes(command);
  });
  return { ...presentPlace({ task, place: undo.place }), module, command, served };
}
