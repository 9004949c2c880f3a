import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isLimited, type Limits, type Principal, seesTask } from '#access';
import type { Task } from '#core';
import { canonicalJson } from '#core/json';
import { Problem } from '#http-server';
import { placeOf } from '#ports';
import type {
  ApprovalRule,
  OperationOrder,
  OperationRecord,
  OperationRequester,
  OperationStatus,
  RecordPlace,
} from '#ports';
import { clientGone, RequestWork } from '../access/request-work.js';
import { nullWhereHidden } from '../access/visible.js';
import { type CommonParts, type OperationParts, OSS_OPTIONS } from '../options.js';
import { consentBy, decided, over, type Say } from './consent.js';
import { calledOff, newOperation } from './operation-change.js';
import { type FlowInputs, orderToHash, sealOrder, secretsIn } from './operation-secrets.js';
import { OperationRunner } from './operation-runner.js';
import { type OperationCounted, type OperationScope, OperationTasks } from './operation-tasks.js';

/** Operations that may be under way at once, in all processes, and how many of one caller. */
const LIVE = { inAll: 100, perCaller: 25 };

/** The same of operations that wait for a person. */
const WAITING = { inAll: 1_000, perCaller: 250 };

/** Longest that a request waits for the end of a dry run, or of what it called off. */
const WAIT_MS = 5_000;

/** Operations that are read for one page of what a key with limits sees. */
const READ_MAX = 2_000;

const ID = /^[\w-]{1,64}$/;

/** By which rule an operation waits for another person, and the one task that it is about. */
interface Waiting {
  readonly rule: ApprovalRule;
  /** Absent: it is about what a search finds. */
  readonly task?: Task;
  /** Throws the `Problem` that nothing new may wait; not asked of a repetition. */
  readonly expectLegal?: () => Promise<void>;
}

/** A request for an operation. */
interface OperationAsked {
  readonly order: OperationOrder;
  readonly requester: OperationRequester;
  /** Null: every repetition is another operation. */
  readonly key: string | null;
  /** Absent: one person is enough. */
  readonly waiting?: Waiting;
  /** The request itself, whose end ends the count of tasks. */
  readonly request: FastifyRequest;
}

/** Which operations to list. */
interface OperationsWanted {
  /** At least 1. */
  readonly limit: number;
  /** Only those behind this place. */
  readonly beyond?: RecordPlace | undefined;
  /** Absent: whatever their status. */
  readonly status?: OperationStatus | undefined;
  /** Once it is aborted, no more are read. */
  readonly signal: AbortSignal;
}

/** Some operations; `place`: behind which to read on, null: there are no more. */
interface OperationList {
  readonly items: readonly OperationRecord[];
  readonly place: RecordPlace | null;
}

/** Takes requests for operations, shows them, and calls them off. */
@Injectable()
export class OperationDesk {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & OperationParts,
    private readonly runner: OperationRunner,
    private readonly tasks: OperationTasks,
    private readonly work: RequestWork,
  ) {}

  /**
   * Begins an operation once it is stored, or finds the one that the same request began before. A
   * dry run is waited for, up to 5 s. Throws a `Problem`.
   */
  async start({
    key,
    order,
    request,
    requester,
    waiting,
  }: OperationAsked): Promise<{ readonly record: OperationRecord; readonly replayed: boolean }> {
    const { clock, entropy, secrets } = this.options;
    const flows = await this.flowsOf(order, waiting?.task);
    const operationId = key === null ? entropy.newId() : entropy.idOf(keyText(requester, key));
    const requestHash = key === null ? null : hashOf(orderToHash(secrets, flows, order));
    const earlier = key === null ? null : await this.repeated(operationId, requestHash);
    if (earlier !== null) return { record: earlier, replayed: true };
    await waiting?.expectLegal?.();
    await this.expectRoom(requester, waiting !== undefined);
    const now = clock.now();
    const counted = await this.count({ createdAt: now, order, requester }, request);
    const sealed = sealOrder(secrets, flows, { operationId, order });
    const kept = waiting && { consent: consentBy(waiting.rule, now), ...keptOf(waiting.task) };
    const start = { operationId, order: sealed, requester, requestHash, now, counted };
    const made = newOperation({ ...start, ...(kept && { waiting: kept }) });
    const record = waiting === undefined ? this.runner.claim(made) : made;
    if (!(await this.options.operations.put(record, null))) {
      const other = await this.repeated(operationId, requestHash);
      if (other !== null) return { record: other, replayed: true };
    }
    this.runner.launch(record);
    return { record: order.isDryRun ? await this.settled(record) : record, replayed: false };
  }

  /** As stored now, where the caller sees it. Throws the `Problem` that there is none. */
  async find(operationId: string, principal: Principal): Promise<OperationRecord> {
    const { operations } = this.options;
    const finding = ID.test(operationId) ? operations.get(operationId) : null;
    const record = await finding?.catch(nullWhereHidden(principal));
    if (record && isSeen(record, principal)) return record;
    const shown = operationId.slice(0, 64);
    const message = `There is no operation ${JSON.stringify(shown)}.`;
    throw new Problem('OPERATION_NOT_FOUND', message);
  }

  /** Those that the caller sees, the newest first; a page may be short, and not be the last. */
  async list(
    principal: Principal,
    { beyond, limit, signal, status }: OperationsWanted,
  ): Promise<OperationList> {
    const { operations } = this.options;
    const items: OperationRecord[] = [];
    let place = beyond;
    for (let read = 0; read < READ_MAX && !signal.aborted; read += limit) {
      const newest = { index: 'time', isDescending: true } as const;
      const page = await operations.list({ ...newest, after: place, limit });
      const isLast = page.length < limit;
      for (const record of page) {
        place = placeOf(operations.kind, record, 'time');
        const fits = status === undefined || record.status === status;
        if (fits && isSeen(record, principal)) items.push(record);
        if (items.length < limit) continue;
        return { items, place: isLast && record === page.at(-1) ? null : place };
      }
      if (isLast) return { items, place: null };
    }
    return { items, place: place ?? null };
  }

  /**
   * Calls an operation off; what was called off before stays as it is. Waited for where this
   * process carries it out. Throws the `Problem` that it has ended.
   */
  async cancel(
    found: OperationRecord,
    { actor, reason }: { readonly actor: string; readonly reason: string | null },
  ): Promise<OperationRecord> {
    const { clock, operations } = this.options;
    let record = found;
    while (record.cancel === null) {
      if (record.endedAt !== null) throw hasEnded(record);
      const now = clock.now();
      const off = calledOff(record, { actor, reason, at: now });
      const next = record.status === 'waiting' ? { ...off, ...over(now, 'cancelled') } : off;
      if (await operations.put(next, record)) record = next;
      else record = (await operations.get(record.operationId)) ?? record;
    }
    this.runner.callOff(record.operationId);
    return this.settled(record);
  }

  /**
   * Says yes or no to an operation that waits. After a yes this process carries it out, or whoever
   * comes where it dies; it is waited for, up to 5 s. Said twice, it counts once. Throws a
   * `Problem`.
   */
  async decide(found: OperationRecord, say: Say): Promise<OperationRecord> {
    const { clock, operations } = this.options;
    let record = found;
    for (;;) {
      if (isRepeated(record, say)) return record;
      const now = clock.now();
      const said = { ...record, ...decided(record, say, now), revision: record.revision + 1 };
      const next = say.isApproved ? this.runner.claim(said) : said;
      if (await operations.put(next, record)) {
        this.runner.launch(next);
        return this.settled(next);
      }
      record = (await operations.get(record.operationId)) ?? record;
    }
  }

  /**
   * The flows whose tasks an order may be about: those that nothing more is started of, too, and
   * the version that one task has, with what commands gave it. None where an order has no
   * parameters, among which secrets may be.
   */
  private async flowsOf({ details }: OperationOrder, task?: Task): Promise<FlowInputs> {
    if (details['parameters'] === undefined) return [];
    const { flows, flowStore } = this.options;
    const all = [...flows.list(), ...(await flowStore.listFlows())];
    if (task === undefined) return all;
    const own = await flows.findVersion(task.plan.flow, task.plan.flowVersion);
    return [...all, ...(own === null ? [] : [own]), secretsIn(task)];
  }

  private async settled(record: OperationRecord): Promise<OperationRecord> {
    await this.runner.settled(record.operationId, WAIT_MS);
    return (await this.options.operations.get(record.operationId)) ?? record;
  }

  private async repeated(operationId: string, hash: string | null) {
    const earlier = await this.options.operations.get(operationId);
    if (earlier === null || earlier.requestHash === hash) return earlier;
    throw new Problem('IDEMPOTENCY_KEY_REUSED', 'This key was used for a different request.');
  }

  private async count(scope: OperationScope, request: FastifyRequest): Promise<OperationCounted> {
    if (scope.order.taskId !== undefined) return { total: 1, isComplete: true };
    return this.work.run(request, 'read', async (signal) => {
      const counted = await this.tasks.count(scope, signal);
      if (signal.aborted) throw clientGone();
      return counted;
    });
  }

  /** Without access control all callers are one, and have all the room there is. */
  private async expectRoom({ keyId }: OperationRequester, isWaiting: boolean): Promise<void> {
    const { operations } = this.options;
    const most = LIVE.inAll + WAITING.inAll;
    const all = await operations.list({ index: 'due', limit: most });
    const alike = all.filter(({ status }) => (status === 'waiting') === isWaiting);
    const own = alike.filter(({ requester }) => requester.keyId === keyId);
    const [room, what] = isWaiting ? [WAITING, 'that wait'] : [LIVE, 'under way'];
    if (alike.length >= room.inAll) throw tooMany(`There are ${room.inAll} operations ${what}`);
    if (keyId === null || own.length < room.perCaller) return;
    throw tooMany(`There are ${room.perCaller} operations of this caller ${what}`);
  }
}

function tooMany(found: string): Problem {
  const detail = `${found}, the most that are allowed.`;
  return new Problem('TOO_MANY_REQUESTS', detail, { headers: { 'retry-after': '5' } });
}

/**
 * A caller with limits sees operations that were asked for with the same limits: they are about the
 * same tasks. An operation on one task is seen by whoever sees the task.
 */
function isSeen({ requester, task }: OperationRecord, principal: Principal): boolean {
  if (task !== undefined) return seesTask(principal, task);
  return !isLimited(principal) || scopeOf(requester) === scopeOf(principal);
}

function scopeOf({ flows, labels }: Pick<Limits, 'flows' | 'labels'>): string {
  return canonicalJson({ flows, labels });
}

function keptOf(task: Task | undefined): Pick<OperationRecord, 'task'> {
  if (task === undefined) return {};
  const { plan, revision } = task;
  return { task: { flow: plan.flow, labels: plan.labels, revision } };
}

/** Whether the same person has said the same before. */
function isRepeated({ consent }: OperationRecord, { isApproved, principal }: Say): boolean {
  const decision = consent?.decision;
  if (!decision || decision.isApproved !== isApproved) return false;
  return decision.actor === principal.name && decision.keyId === principal.keyId;
}

/** Keys of different people never meet. */
function keyText({ keyId }: OperationRequester, key: string): string {
  return `operation ${JSON.stringify([keyId, key])}`;
}

function hashOf(order: OperationOrder): string {
  return hash('sha256', canonicalJson(order), 'hex');
}

function hasEnded({ status }: OperationRecord): Problem {
  return new Problem('OPERATION_ENDED', `The operation has ended: it is ${status}.`);
}
