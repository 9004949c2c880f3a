import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  DEFAULT_TIMING,
  type JsonObject,
  maskValues,
  type PlannedUndo,
  rollbackPlan,
  runIdOf,
  stepAt,
  type Task,
} from '#core';
import { expectNoParameters } from '#nest';
import type { ExecutorRecord } from '#ports';
import { findVisible } from '../access/visible.js';
import { estimateUndos, UNDOS_MAX } from '../estimate/estimate.js';
import { presentEstimate, type PublicEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** One undo as HTTP shows it. */
interface PublicUndo {
  readonly step: string;
  /** Of the run. */
  readonly id: string;
  readonly module: string;
  readonly command: string;
  readonly parameters: JsonObject;
  /** Whether an executor that was heard of lately has the command. */
  readonly served: boolean;
}

/** The steps that would be undone if a task went back now. */
interface PublicPlan {
  readonly items: readonly PublicUndo[];
  /** The step past which nothing goes back; null: there is none. */
  readonly pivot: string | null;
  /** Steps that may have had an effect, and have no rollback. */
  readonly leftOver: readonly { readonly step: string; readonly id: string }[];
  /** Why the task would not go back all the way; null: it would. */
  readonly obstacle: string | null;
  /** With an obstacle: the step to ask for, down to which the items go; null: there is none. */
  readonly to: string | null;
  /** There are more items than are shown. */
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
    const { clock, executors, store } = this.options;
    const task = await findVisible(store, taskId, request);
    const now = clock.now();
    const moment = { now, chance: 0.5, timing: DEFAULT_TIMING };
    const plan = rollbackPlan(task, moment, UNDOS_MAX);
    const { isCut, leftOver, obstacle, pivot, to, undos } = plan;
    const records = undos.length === 0 ? [] : await executors.seen();
    const isTold = obstacle === null && !isCut;
    const estimate = isTold ? await estimateUndos(task, { now, past: this.past, undos }) : null;
    return {
      items: undos.map((undo) => presentUndo(task, undo, records)),
      pivot: pivot === null ? null : nameAt(task, pivot),
      leftOver: leftOver.map((place) => ({ step: nameAt(task, place), id: runIdOf(task, place) })),
      obstacle,
      to: to === null ? null : nameAt(task, to),
      isCut,
      estimate: estimate && presentEstimate(estimate),
    };
  }
}

function nameAt(task: Task, place: number): string {
  return stepAt(task, place)?.name ?? '';
}

function presentUndo(
  task: Task,
  { action, parameters, place }: PlannedUndo,
  records: readonly ExecutorRecord[],
): PublicUndo {
  const { command, module } = action;
  const served = records.some((record) => {
    return record.module === module && record.commands.includes(command);
  });
  return {
    step: nameAt(task, place),
    id: runIdOf(task, place),
    module,
    command,
    parameters: task.hasSecrets ? maskValues(parameters) : parameters,
    served,
  };
}
