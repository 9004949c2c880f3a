import { Inject, Injectable } from '@nestjs/common';
import type { FlowVersion, JsonObject, Task, TaskOrigin } from '#core';
import type { StartLimits } from '#core/flow';
import { LabelsFailed } from '#core/values';
import type { Submitted } from '#engine';
import { CheckerBusy, CheckTooCostly, type InputProblem } from '#flow-files';
import { type Principal, seesFlow, seesTask } from '#access';
import { Problem } from '#http-server';
import { starterOf } from '../access/asked-people.js';
import { expectAllowed, labelled, limitsFor } from '../access/may-start.js';
import { ownKey } from '../access/own-key.js';
import { findStartable } from '../flows/find-startable.js';
import { RunCheck } from '../flows/run-check.js';
import { type CommonParts, type FlowParts, OSS_OPTIONS, type TaskParts } from '../options.js';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import type { Leave } from './flow-rooms.js';
import { expectSameWork, type HandedSecrets } from './handed-secrets.js';
import { LiveTaskQuota } from './live-task-quota.js';
import { expectMayRunAlone, expectOnly, onlyOf } from './only-request.js';
import { expectRequestSize } from './member-size.js';
import {
  expectSecrets,
  openParameters,
  requestHashes,
  withParameters,
} from './secret-parameters.js';

/** The origin of a request: its caller, its headers, and the task it starts anew. */
export interface RequestOrigin {
  readonly actor: string;
  /** The caller, with its rights. */
  readonly principal: Principal;
  /** The part that is kept with the task, and that it is found by. */
  readonly shown: TaskOrigin;
  /** As it was sent. */
  readonly idempotencyKey: string | null;
  readonly traceparent: string | null;
  /** Bytes of the body it came in; undefined: not announced. */
  readonly bodyBytes: number | undefined;
  /** Id of the task that it starts anew; absent: none. */
  readonly restartOf?: string;
  /** Why, where somebody said so. */
  readonly reason?: string;
  /** Throws the `Problem` that it is refused, unless it is a repetition; absent: none. */
  readonly expectFirst?: () => void;
  /** Limits of those who started what it is made of; absent: none. */
  readonly limits?: StartLimits;
  /** Secrets that it hands on; absent: all values are in clear. */
  readonly handed?: HandedSecrets;
}

/** The caller of a request, the size of its body, and what it takes over of others. */
type Sender = Pick<RequestOrigin, 'bodyBytes' | 'handed' | 'limits' | 'principal'>;

interface Asked extends Sender {
  readonly isNow: boolean;
}

/** A task that was asked for. */
export interface TakenTask {
  readonly task: Task;
  /** The task was there already: the request is a repetition. */
  readonly replayed: boolean;
}

/** Turns requests into tasks. */
@Injectable()
export class TaskIntake {
  private readonly runs: RunCheck;

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & TaskParts & FlowParts,
    private readonly quota: LiveTaskQuota,
  ) {
    this.runs = new RunCheck(options);
  }

  /** Makes the task, or finds the one that this caller asked for before. Throws a `Problem`. */
  async take(asked: CreateTaskRequest, sent: RequestOrigin): Promise<TakenTask> {
    const { principal } = sent;
    const idempotencyKey = ownKey(principal, sent.idempotencyKey);
    const origin = { ...sent, idempotencyKey };
    const request = labelled(asked, principal);
    const clear = this.inClear(request, origin);
    let flow: FlowVersion;
    let leave: Leave | null;
    try {
      sent.expectFirst?.();
      const admitted = this.judge(clear, { isNow: true, ...origin });
      flow = admitted instanceof Promise ? await admitted : admitted;
      const entering = this.options.rooms.enter(flow.definition);
      leave = entering === null ? null : await entering;
    } catch (refusal) {
      // Looked for only here: a request that is not refused costs no question of its own.
      const earlier =
        idempotencyKey === null ? null : await this.options.store.findByKey(idempotencyKey);
      if (earlier === null || !seesTask(principal, earlier.plan)) throw refusal;
      return this.repeated(earlier, clear);
    }
    const submitting = this.submit(flow, { request, clear }, origin);
    return leave === null ? submitting : submitting.finally(leave);
  }

  /** Throws the `Problem` that there can be no such task now; makes none. */
  async expectTakes(asked: CreateTaskRequest, origin: Sender): Promise<void> {
    const request = this.inClear(labelled(asked, origin.principal), origin);
    const { definition } = await this.judge(request, { isNow: true, ...origin });
    await this.options.rooms.expectRoom(definition);
  }

  private async submit(
    flow: FlowVersion,
    { clear, request }: { readonly request: CreateTaskRequest; readonly clear: CreateTaskRequest },
    origin: RequestOrigin,
  ): Promise<TakenTask> {
    const { actor, handed, idempotencyKey, principal, shown, traceparent } = origin;
    const { reason = null, restartOf = null } = origin;
    const { engine, secrets } = this.options;
    const { labels, priority, parameters = {} } = request;
    // Without a key nothing is ever compared with this request.
    const [hash = null] =
      idempotencyKey === null
        ? []
        : requestHashes(secrets, { request: clear, definition: flow.definition });
    const submitted = await engine
      .submit(flow, {
        parameters,
        labels,
        priority,
        idempotencyKey,
        requestHash: hash,
        traceparent,
        restartOf,
        sealedFor: handed?.sealedFor,
        limits: limitsFor(origin),
        only: onlyOf(request),
        starter: starterOf(principal),
        origin: shown,
        actor,
        reason,
      })
      .catch((error: unknown) => this.earlierOr(error, idempotencyKey));
    const { task } = submitted;
    if (submitted.kind !== 'created') return this.repeated(task, clear);
    this.quota.add();
    return { task, replayed: false };
  }

  /** The request with its secrets in clear; the same object where it has none that are sealed. */
  private inClear(request: CreateTaskRequest, { handed }: Sender): CreateTaskRequest {
    const { parameters = {} } = request;
    if (handed === undefined) return request;
    const clear = openParameters(this.options.secrets, parameters, handed.sealedFor);
    return withParameters(request, clear);
  }

  /** The task that the request's key belongs to, if the request that made it was the same. */
  private async repeated(task: Task, request: CreateTaskRequest): Promise<TakenTask> {
    const { flowStore, secrets } = this.options;
    const { flow, flowVersion, requestHash: hash } = task.plan;
    // The flow version that the task was made for says which inputs were secret then.
    const made = task.hasSecrets ? await flowStore.getFlow(flow, flowVersion) : null;
    const definition = made?.definition ?? { input: null };
    const hashes = requestHashes(secrets, { request, definition });
    if (hash !== null && hashes.includes(hash)) return { task, replayed: true };
    // Not of which task: whoever guesses a key learns nothing of what another client made with it.
    throw new Problem('IDEMPOTENCY_KEY_REUSED', 'This key was used for a different request.');
  }

  /** The task that the same request made while its labels could be worked out, or why not now. */
  private async earlierOr(error: unknown, key: string | null): Promise<Submitted> {
    if (!(error instanceof LabelsFailed)) throw error;
    const task = key === null ? null : await this.options.store.findByKey(key);
    if (task !== null) return { kind: 'duplicate', task };
    throw labelsFailed(error);
  }

  /**
   * Has `make` store a task of the request's flow now, while there is room for it. Throws the
   * `Problem` that there can be none, and what `make` throws.
   */
  async admit(
    request: CreateTaskRequest,
    sender: Sender,
    make: (flow: FlowVersion) => Promise<void>,
  ): Promise<void> {
    const flow = await this.judge(this.inClear(request, sender), { isNow: true, ...sender });
    const leave = await this.options.rooms.enter(flow.definition);
    try {
      await make(flow);
    } finally {
      leave?.();
    }
  }

  /**
   * The flow of a task that is to be made another time, at once where that is quick: now there need
   * be no room for it. Throws the `Problem` that there can be none.
   */
  foresee(request: CreateTaskRequest, sender: Sender): FlowVersion | Promise<FlowVersion> {
    return this.judge(this.inClear(request, sender), { isNow: false, ...sender });
  }

  private judge(request: CreateTaskRequest, asked: Asked): FlowVersion | Promise<FlowVersion> {
    const { principal } = asked;
    expectRequestSize(request, asked.bodyBytes, this.options.maxParameters);
    const found = this.options.flows.find(request.flow);
    if (found !== undefined && seesFlow(principal, request.flow)) {
      return this.checkFlow(found, request, asked);
    }
    return findStartable(request.flow, principal, this.options).then((flow) => {
      return this.checkFlow(flow, request, asked);
    });
  }

  private checkFlow(
    flow: FlowVersion,
    request: CreateTaskRequest,
    asked: Asked,
  ): FlowVersion | Promise<FlowVersion> {
    const { handed } = asked;
    const { only } = request;
    expectOnly(flow.definition, request);
    expectSameWork(flow.definition, only, handed);
    const limits = limitsFor(asked);
    if (limits?.starters === undefined && only === undefined) {
      return this.checkRun(flow, request, asked);
    }
    return this.checkRights(flow, request, asked).then(() => this.checkRun(flow, request, asked));
  }

  private async checkRights(
    flow: FlowVersion,
    { only }: CreateTaskRequest,
    asked: Asked,
  ): Promise<void> {
    const { definition } = flow;
    const limits = limitsFor(asked);
    if (limits?.starters !== undefined) await expectAllowed(flow, limits, this.options.flows);
    if (only === undefined) return;
    await expectMayRunAlone(this.options.flowStore, { definition, only }, asked.principal);
  }

  private checkRun(
    flow: FlowVersion,
    { parameters = {} }: CreateTaskRequest,
    asked: Asked,
  ): FlowVersion | Promise<FlowVersion> {
    const asking = this.runs.expectRunnable(flow, asked.principal);
    if (asking === undefined) return this.checkParameters(flow, parameters, asked);
    return asking.then(() => this.checkParameters(flow, parameters, asked));
  }

  private checkParameters(
    flow: FlowVersion,
    parameters: JsonObject,
    { isNow, principal }: Asked,
  ): FlowVersion | Promise<FlowVersion> {
    if (isNow) this.quota.admit(principal);
    expectSecrets(this.options.secrets, flow.definition, parameters);
    const problems = this.options.checker.checkInput(flow, parameters);
    if (problems instanceof Promise) return awaited(flow, problems);
    assertNone(flow, problems);
    return flow;
  }
}

async function awaited(
  flow: FlowVersion,
  checking: Promise<readonly InputProblem[]>,
): Promise<FlowVersion> {
  try {
    assertNone(flow, await checking);
    return flow;
  } catch (error) {
    if (error instanceof CheckerBusy) throw tooManyChecks();
    if (!(error instanceof CheckTooCostly)) throw error;
    const message = `The parameters cannot be checked: ${error.message}`;
    const hint = 'Send smaller parameters.';
    throw new Problem('INVALID_PARAMETERS', message, {
      errors: [{ pointer: '/parameters', message, hint }],
    });
  }
}

function assertNone({ definition }: FlowVersion, problems: readonly InputProblem[]): void {
  if (problems.length === 0) return;
  const errors = problems.map((problem) => ({
    ...problem,
    pointer: `/parameters${problem.pointer}`,
  }));
  const { name } = definition;
  const detail = `The parameters do not fit flow ${name}: ${problems[0]?.message}`;
  throw new Problem('INVALID_PARAMETERS', detail, { errors });
}

/** The problem that the labels of a flow cannot be worked out for a request. */
function labelsFailed({ label, reason }: LabelsFailed): Problem {
  const pointer = label === '' ? '/labels' : `/labels/${label}`;
  const message = label === '' ? `The labels: ${reason}.` : `The label ${label}: ${reason}.`;
  const hint = 'Send the label with the request, whose labels win, or correct the flow.';
  return new Problem('EXPRESSION_FAILED', message, { errors: [{ pointer, message, hint }] });
}
