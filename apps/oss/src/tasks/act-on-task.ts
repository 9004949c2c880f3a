import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertNever, type PersonsAction, type Task } from '#core';
import type { OperateResult, PersonsEvent } from '#engine';
import { expectRole, principalOf, Problem } from '#http-server';
import { type TaskAct, TaskActs } from '../access/may-act.js';
import { actionKey, isSameOwnKey, ownKey } from '../access/own-key.js';
import { findVisible } from '../access/visible.js';
import { TaskConsents } from '../operations/task-consents.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { actorOf, expectedOf, idempotencyKeyOf } from '../requests/headers.js';
import { taskNotFound } from './find-task.js';
import { sendTask } from './answer-task.js';
import { fingerprintOf } from './request-hash.js';
import { refusal, type Verb, VERBS } from './task-verbs.js';

/** A person's action on one task, as a request asks for it. */
interface Asked {
  readonly taskId: string;
  readonly verb: Verb;
  readonly body: unknown;
  readonly request: FastifyRequest;
}

/** Answers requests for a person's action on one task. */
@Injectable()
export class ActOnTask {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly acts: TaskActs,
    private readonly consents: TaskConsents,
  ) {}

  /**
   * Answers with the whole task, or with the operation by which the action waits for a second
   * person. Throws the `Problem` that the action is not carried out.
   */
  async act(asked: Asked, reply: FastifyReply): Promise<void> {
    const { body, request, taskId, verb } = asked;
    const principal = principalOf(request);
    // Before anything is said of the body: a task that the caller does not see does not exist.
    const task = await findVisible(this.options.store, taskId, principal);
    expectRole(request);
    const event = VERBS[verb].read(body, (reason) => this.personOf(asked, reason));
    const act: TaskAct = { principal, task, verb, event };
    const expectLegal = (): Promise<void> => this.expectLegal(act);
    const wanted = { task, action: verb, body, expectLegal };
    const wait = this.consents.waitingFor(wanted, request, reply);
    const result = await this.acts.operate(act, { wait, revision: revisionFor(act, request) });
    // It was answered that the action waits.
    if (result === null) return;
    const outcome = outcomeOf(result, act);
    if (!outcome.acted) reply.header('idempotent-replayed', 'true');
    await sendTask(reply, outcome.task, this.options);
  }

  /** The reason is words: in others the request is the same. */
  private personOf({ body, request, verb }: Asked, reason: string): PersonsAction {
    const own = ownKey(principalOf(request), idempotencyKeyOf(request.headers));
    const said = [verb, { ...(body as object), reason: undefined }];
    const key = own && actionKey(own, fingerprintOf(this.options.secrets, said));
    return { actor: actorOf(request), reason, key };
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
  const asked = expectedOf(request.headers, task);
  // Its own first run has moved the task.
  return wasDone(task, event, verb) ? undefined : asked;
}

/** Whether the action was carried out under its key before. Throws if the key did another one. */
function wasDone({ doneActions }: Task, { key }: PersonsEvent, verb: Verb): boolean {
  if (key === null) return false;
  const done = doneActions.find((action) => action.key !== null && isSameOwnKey(action.key, key));
  if (done === undefined || done.key === key) return done !== undefined;
  const other = done.action === verb ? 'in another way ' : '';
  const detail = `This key was used ${other}to ${done.action} the task.`;
  throw new Problem('IDEMPOTENCY_KEY_REUSED', detail);
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
