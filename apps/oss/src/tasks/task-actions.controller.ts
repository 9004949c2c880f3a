import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertNever, type PersonsAction, type Task } from '#core';
import type { OperateResult, PersonsEvent } from '#engine';
import { expectNoParameters, expectRole, principalOf, Problem } from '#http-server';
import { ownKey } from '../access/own-key.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { actorOf, expectedRevisions, idempotencyKeyOf } from '../requests/headers.js';
import { TaskConsents } from '../operations/task-consents.js';
import { type TaskAct, TaskActs } from '../access/may-act.js';
import { findVisible } from '../access/visible.js';
import { taskNotFound } from './find-task.js';
import { sendTask } from './send-task.js';
import { refusal, type Verb, VERBS } from './task-verbs.js';

/** Carries out persons' actions; each answers with the whole task. */
@Controller('v1/tasks')
export class TaskActionsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly acts: TaskActs,
    private readonly consents: TaskConsents,
  ) {}

  /** Stop going forward and undo everything that ran, or all down to a step. */
  @Post(':taskId([^:]+)::rollback')
  @HttpCode(200)
  rollback(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'rollback' }, request, reply);
  }

  /** Stop here for good without undoing. */
  @Post(':taskId([^:]+)::terminate')
  @HttpCode(200)
  terminate(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'terminate' }, request, reply);
  }

  /** Give what failed a fresh budget. */
  @Post(':taskId([^:]+)::retry')
  @HttpCode(200)
  retry(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'retry' }, request, reply);
  }

  /** Count a step as undone by hand, or as done. */
  @Post(':taskId([^:]+)::skip')
  @HttpCode(200)
  skip(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'skip' }, request, reply);
  }

  /** Start nothing more, in either direction, until the task is resumed. */
  @Post(':taskId([^:]+)::pause')
  @HttpCode(200)
  pause(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'pause' }, request, reply);
  }

  /** Let a paused task go on. */
  @Post(':taskId([^:]+)::resume')
  @HttpCode(200)
  resume(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'resume' }, request, reply);
  }

  /** Undo a step and what needs it, and run them again. */
  @Post(':taskId([^:]+)::reset')
  @HttpCode(200)
  reset(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'reset' }, request, reply);
  }

  /** Undo a task that succeeded. */
  @Post(':taskId([^:]+)::undo')
  @HttpCode(200)
  undo(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'undo' }, request, reply);
  }

  /** Tell the task what a step of it waits for, or will wait for. */
  @Post(':taskId([^:]+)::signal')
  @HttpCode(200)
  signal(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'signal' }, request, reply);
  }

  /** Say yes to a step that asks. */
  @Post(':taskId([^:]+)::approve')
  @HttpCode(200)
  approve(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'approve' }, request, reply);
  }

  /** Say no to a step that asks. */
  @Post(':taskId([^:]+)::reject')
  @HttpCode(200)
  reject(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.act({ taskId, verb: 'reject' }, request, reply);
  }

  private async act(
    { taskId, verb }: { readonly taskId: string; readonly verb: Verb },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // Before anything is said of the body: a task that the caller does not see does not exist.
    const task = await findVisible(this.options.store, taskId, request);
    expectRole(request);
    const event = VERBS[verb](request.body, (reason) => personOf(request, reason));
    expectNoParameters(request.query);
    const act: TaskAct = { principal: principalOf(request), task, verb, event };
    const expectLegal = (): Promise<void> => this.expectLegal(act);
    const wanted = { task, action: verb, body: request.body, expectLegal };
    const wait = this.consents.waitingFor(wanted, request, reply);
    const result = await this.acts.operate(act, { wait, revision: revisionFor(act, request) });
    // It was answered that the action waits.
    if (result === null) return;
    const outcome = outcomeOf(result, act);
    if (!outcome.acted) reply.header('idempotent-replayed', 'true');
    await sendTask(reply, outcome.task, this.options);
  }

  /** Refuses an action that is illegal now: it need not wait for a second person. */
  private async expectLegal(act: TaskAct): Promise<void> {
    const result = await this.acts.foresee(act, { isApproved: true });
    if (result.kind === 'refused') throw refusal(result, act.verb);
    if (result.kind === 'missing') throw taskNotFound(act.task.plan.taskId);
  }
}

/** The revision that `If-Match` asks for; a repetition is one at whatever revision. */
function revisionFor({ event, task, verb }: TaskAct, request: FastifyRequest): number | undefined {
  const revisions = expectedRevisions(request.headers);
  // Its own first run has moved the task.
  if (wasDone(task, event, verb)) return undefined;
  return revisions?.find((revision) => revision === task.revision) ?? revisions?.[0];
}

function personOf(request: FastifyRequest, reason: string): PersonsAction {
  const key = ownKey(principalOf(request), idempotencyKeyOf(request.headers));
  return { actor: actorOf(request), reason, key };
}

/** Whether the action was carried out under its key before. Throws if the key did another one. */
function wasDone({ doneActions }: Task, { key }: PersonsEvent, verb: Verb): boolean {
  const done = key === null ? undefined : doneActions.find((action) => action.key === key);
  if (done === undefined) return false;
  if (done.action === verb) return true;
  throw new Problem('IDEMPOTENCY_KEY_REUSED', `This key was used to ${done.action} the task.`);
}

function outcomeOf(
  result: OperateResult,
  { event, task, verb }: TaskAct,
): { readonly task: Task; readonly acted: boolean } {
  switch (result.kind) {
    case 'committed':
      return { task: result.task, acted: true };
    case 'ignored':
      wasDone(result.task, event, verb);
      return { task: result.task, acted: false };
    case 'refused':
      throw refusal(result, verb);
    case 'moved': {
      const { revision } = result;
      throw new Problem('REVISION_CHANGED', `The task is at revision ${revision} by now.`);
    }
    case 'missing':
      throw taskNotFound(task.plan.taskId);
    default:
      return assertNever(result);
  }
}
