import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertNever, type PersonsAction, type Task } from '#core';
import type { OperateResult, PersonsEvent } from '#engine';
import { expectNoParameters, expectRole, principalOf, Problem } from '#http-server';
import { ownKey } from '../access/own-key.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { actorOf, expectedRevisions, idempotencyKeyOf } from '../requests/headers.js';
import { TaskConsents } from '../operations/task-consents.js';
import { expectMayAnswer } from '../access/may-answer.js';
import { expectSeesChild } from '../access/named-child.js';
import { expectMayReset } from '../access/may-reset.js';
import { findVisible } from '../access/visible.js';
import { taskNotFound } from './find-task.js';
import { expectSecrets } from './secret-parameters.js';
import { sendTask } from './send-task.js';
import { expectSizes, refusal, type Verb, VERBS } from './task-verbs.js';

/** Carries out persons' actions; each answers with the whole task. */
@Controller('v1/tasks')
export class TaskActionsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
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
    const before = await findVisible(this.options.store, taskId, request);
    expectRole(request);
    const event = VERBS[verb](request.body, (reason) => personOf(request, reason));
    expectMayAnswer(principalOf(request), before, event);
    if ('children' in event) await expectSeesChild(event.children, request, this.options);
    expectSizes(event, this.options.maxParameters);
    await this.expectEdit(before, event);
    await expectMayReset(before, event, this.options);
    const expectLegal = (): Promise<void> => this.expectLegal({ taskId, verb, event });
    const wanted = { task: before, action: verb, body: request.body, expectLegal };
    if (await this.consents.answered(wanted, request, reply)) return;
    return this.operate({ taskId, verb, event, before }, request, reply);
  }

  /** Throws a `Problem` unless a person who changes a secret sends the secret itself. */
  private async expectEdit({ plan }: Task, event: PersonsEvent): Promise<void> {
    const parameters = 'parameters' in event ? event.parameters : undefined;
    if (parameters === undefined) return;
    const { flowStore, secrets } = this.options;
    const flow = await flowStore.getFlow(plan.flow, plan.flowVersion);
    if (flow !== null) expectSecrets(secrets, flow.definition, parameters);
  }

  /** Refuses an action that is illegal now: it need not wait for a second person. */
  private async expectLegal({ event, taskId, verb }: Order): Promise<void> {
    const result = await this.options.engine.foresee(taskId, event);
    if (result.kind === 'refused') throw refusal(result, verb);
    if (result.kind === 'missing') throw taskNotFound(taskId);
  }

  private async operate(
    order: Order & { readonly before: Task },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    expectNoParameters(request.query);
    const { before, event, taskId, verb } = order;
    const revisions = expectedRevisions(request.headers);
    const { engine } = this.options;
    // A repetition is one at whatever revision: its own first run has moved the task.
    const repeated = wasDone(before, event, verb);
    const revision = revisions?.find((revision) => revision === before.revision) ?? revisions?.[0];
    const result = await engine.operate(taskId, event, repeated ? undefined : revision);
    const { task, acted } = outcomeOf(result, { taskId, verb, event });
    if (!acted) reply.header('idempotent-replayed', 'true');
    await sendTask(reply, task, this.options);
  }
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

interface Order {
  readonly taskId: string;
  readonly verb: Verb;
  readonly event: PersonsEvent;
}

function outcomeOf(
  result: OperateResult,
  order: Order,
): { readonly task: Task; readonly acted: boolean } {
  switch (result.kind) {
    case 'committed':
      return { task: result.task, acted: true };
    case 'ignored':
      wasDone(result.task, order.event, order.verb);
      return { task: result.task, acted: false };
    case 'refused':
      throw refusal(result, order.verb);
    case 'moved': {
      const { revision } = result;
      throw new Problem('REVISION_CHANGED', `The task is at revision ${revision} by now.`);
    }
    case 'missing':
      throw taskNotFound(order.taskId);
    default:
      return assertNever(result);
  }
}
