import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasRightsOf, type Principal } from '#access';
import { assertNever, type EventOf, type Task } from '#core';
import { placeOf, runOf } from '#core/scopes';
import type { OperateResult } from '#engine';
import { expectRole, lacking, Problem } from '#http-server';
import { TaskActs } from '../access/may-act.js';
import { findVisible } from '../access/visible.js';
import { type CommonParts, OSS_OPTIONS, type TaskParts } from '../options.js';
import { type CompleteRequest, resultOf } from '../requests/complete.request.js';
import { WHY } from '../requests/operate.request.js';
import { expectedOf } from '../requests/headers.js';
import { ActOnTask } from './act-on-task.js';
import { taskNotFound } from './find-task.js';
import { fingerprintOf } from './request-hash.js';
import { sendTask } from './answer-task.js';
import { COMPLETION_ROUTES } from './completions.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

type Completion = Asked<typeof COMPLETION_ROUTES.completeRun>;

/** Takes what a person or system outside says of an attempt that was handed to them. */
@Controller()
export class CompletionsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & TaskParts,
    private readonly acts: TaskActs,
    private readonly actOnTask: ActOnTask,
  ) {}

  /** Say how an attempt ended, by the token that its command was given. */
  @Handles(COMPLETION_ROUTES.completeRun)
  async complete(
    asked: Asked<typeof COMPLETION_ROUTES.completeRun>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const {
      path: { run, taskId },
      principal,
      request,
    } = asked;
    // Before anything is said of the body: a task that the caller does not see does not exist.
    const before = await findVisible(this.options.store, taskId, principal);
    expectRole(request);
    const { body } = asked;
    if (body.token === undefined) return this.completeByRight(asked, reply);
    const claim = this.options.completionTokens.read(body.token, { taskId, run });
    // Nor does a wrong token tell which runs there are.
    if (claim === null) throw wrongToken();
    const result = resultOf(body);
    const step = placeOf(before, run);
    if (step === null) throw overBy(`${run} is gone: its steps were started again`);
    const key = this.keyOf(run, claim, body);
    const person = { actor: asked.actor, reason: '', key };
    const event: EventOf<'completed'> = { kind: 'completed', ...claim, ...person, step, result };
    const revision = revisionFor(before, key, request);
    const act = { principal, task: before, event };
    const outcome = await this.acts.complete(act, { revision });
    const { replayed, task } = outcomeOf(outcome, taskId);
    if (replayed) reply.header('idempotent-replayed', 'true');
    if (readsTasks(principal)) return sendTask(reply, task, this.options);
    reply.send(presentCompleted(task, event, run));
  }

  /** An operator has no token: what waits is completed by right, for a reason that is kept. */
  private completeByRight(asked: Completion, reply: FastifyReply): Promise<void> {
    const { body, path, principal, request } = asked;
    if (!hasRightsOf(principal.role, 'operator')) throw lacking(principal, 'operator');
    expectReason(body);
    const order = {
      verb: 'complete',
      body: { ...(request.body as object), step: path.run },
    } as const;
    return this.actOnTask.act({ ...order, taskId: path.taskId, request }, reply);
  }

  /** The same for the same said of the same attempt. */
  private keyOf(
    run: string,
    { attempt, direction }: Pick<EventOf<'completed'>, 'attempt' | 'direction'>,
    { error, output }: CompleteRequest,
  ): string {
    const said = [run, direction, attempt, { error, output }];
    return `complete ${fingerprintOf(this.options.secrets, said)}`;
  }
}

/** The revision that `If-Match` asks for. A repetition is one at whatever revision. */
function revisionFor(task: Task, key: string, { headers }: FastifyRequest): number | undefined {
  const asked = expectedOf(headers, task);
  return task.doneActions.some((done) => done.key === key) ? undefined : asked;
}

/** Throws the `Problem` that a completion by right has no reason. */
function expectReason({ reason }: CompleteRequest): void {
  if (reason !== undefined) return;
  const message = `Send the \`token\` that the command was given, or a \`reason\`: ${WHY}`;
  throw new Problem('INVALID_PARAMETERS', message, { errors: [{ pointer: '/reason', message }] });
}

function wrongToken(): Problem {
  return new Problem(
    'WRONG_COMPLETION_TOKEN',
    'The token is not one of this run: every attempt has its own, and so has every run.',
  );
}

function overBy(why: string): Problem {
  return new Problem('ILLEGAL_ACTION', `Complete needs an attempt that is under way; ${why}.`);
}

/** The answer to a caller who reads no tasks. */
type PublicCompleted = Shown<'CompletedRun'>;

function readsTasks({ role }: Principal): boolean {
  return hasRightsOf(role, 'viewer');
}

/** A run that is gone by now, because its steps were started again, is told as it was reported. */
function presentCompleted(task: Task, event: EventOf<'completed'>, run: string): PublicCompleted {
  const { direction, result, step } = event;
  const isThere = placeOf(task, run) === step;
  const reported = 'output' in result ? 'succeeded' : 'failed';
  const state = (isThere ? runOf(task, { direction, step })?.state : null) ?? reported;
  return { taskId: task.plan.taskId, step: run, state };
}

function outcomeOf(
  result: OperateResult,
  taskId: string,
): { readonly task: Task; readonly replayed: boolean } {
  switch (result.kind) {
    case 'committed':
      return { task: result.task, replayed: false };
    case 'ignored':
      return { task: result.task, replayed: true };
    case 'refused': {
      const { message } = result;
      throw new Problem('ILLEGAL_ACTION', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
    }
    case 'moved': {
      const { revision } = result;
      throw new Problem('REVISION_CHANGED', `The task is at revision ${revision} by now.`);
    }
    case 'missing':
      throw taskNotFound(taskId);
    default:
      return assertNever(result);
  }
}
