import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isLimited, type Limits, type Principal } from '#access';
import { Problem } from '#nest';
import type { OperationOrder, OperationQuery, OperationRecord, OperationRequester } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { canonicalJson } from '../tasks/request-hash.js';
import { calledOff, newOperation } from './operation-change.js';
import { orderToHash, sealOrder } from './operation-secrets.js';
import { OperationRunner } from './operation-runner.js';
import { OperationTasks } from './operation-tasks.js';

/** Operations that may be under way at once, in all processes. */
const LIVE_MAX = 100;

/** Longest that a request waits for the end of a dry run, or of what it called off. */
const WAIT_MS = 5_000;

/** Operations that are read for one page of what a key with limits sees. */
const READ_MAX = 2_000;

const ID = /^[\w-]{1,64}$/;

/** What an operation is asked for with. */
export interface OperationAsked {
  readonly order: OperationOrder;
  readonly requester: OperationRequester;
  /** Null: every repetition is another operation. */
  readonly key: string | null;
}

/** Some operations; `place`: behind which to read on, null: there are no more. */
export interface OperationList {
  readonly items: readonly OperationRecord[];
  readonly place: OperationQuery['beyond'] | null;
}

/** Takes requests for operations, shows them, and calls them off. */
@Injectable()
export class OperationDesk {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly runner: OperationRunner,
    private readonly tasks: OperationTasks,
  ) {}

  /**
   * Begins an operation once it is stored, or finds the one that the same request began before. A
   * dry run is waited for, up to 5 s. Throws a `Problem`.
   */
  async start({
    key,
    order,
    requester,
  }: OperationAsked): Promise<{ readonly record: OperationRecord; readonly replayed: boolean }> {
    const { clock, entropy, flows, secrets } = this.options;
    const operationId = key === null ? entropy.newId() : entropy.idOf(keyText(requester, key));
    const requestHash = key === null ? null : hashOf(orderToHash(secrets, flows, order));
    const earlier = key === null ? null : await this.repeated(operationId, requestHash);
    if (earlier !== null) return { record: earlier, replayed: true };
    await this.expectRoom();
    const now = clock.now();
    const counted = await this.tasks.count({ createdAt: now, order, requester });
    const sealed = sealOrder(secrets, flows, { operationId, order });
    const start = { operationId, order: sealed, requester, requestHash, now, counted };
    const record = this.runner.claim(newOperation(start));
    if (!(await this.options.operations.addOperation(record))) {
      const other = await this.repeated(operationId, requestHash);
      if (other !== null) return { record: other, replayed: true };
    }
    this.runner.launch(record);
    return { record: order.isDryRun ? await this.settled(record) : record, replayed: false };
  }

  /** As stored now, where the caller sees it. Throws the `Problem` that there is none. */
  async find(operationId: string, principal: Principal): Promise<OperationRecord> {
    const { operations } = this.options;
    const record = ID.test(operationId) ? await operations.findOperation(operationId) : null;
    if (record !== null && isSeen(record, principal)) return record;
    const shown = operationId.slice(0, 64);
    const message = `There is no operation ${JSON.stringify(shown)}.`;
    throw new Problem('OPERATION_NOT_FOUND', message);
  }

  /** Those that the caller sees, the newest first; a page may be short, and not be the last. */
  async list(principal: Principal, { beyond, limit }: OperationQuery): Promise<OperationList> {
    const items: OperationRecord[] = [];
    let place = beyond;
    for (let read = 0; read < READ_MAX; read += limit) {
      const page = await this.options.operations.listOperations({ beyond: place, limit });
      const isLast = page.length < limit;
      for (const record of page) {
        place = record;
        if (isSeen(record, principal)) items.push(record);
        if (items.length < limit) continue;
        return { items, place: isLast && record === page.at(-1) ? null : record };
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
      const next = calledOff(record, { actor, reason, at: clock.now() });
      if ((await operations.commitOperation(next)) === 'committed') record = next;
      else record = (await operations.findOperation(record.operationId)) ?? record;
    }
    this.runner.callOff(record.operationId);
    return this.settled(record);
  }

  private async settled(record: OperationRecord): Promise<OperationRecord> {
    await this.runner.settled(record.operationId, WAIT_MS);
    return (await this.options.operations.findOperation(record.operationId)) ?? record;
  }

  private async repeated(operationId: string, hash: string | null) {
    const earlier = await this.options.operations.findOperation(operationId);
    if (earlier === null || earlier.requestHash === hash) return earlier;
    throw new Problem('IDEMPOTENCY_KEY_REUSED', 'This key was used for a different request.');
  }

  private async expectRoom(): Promise<void> {
    const { operations } = this.options;
    const live = await operations.findDueOperations(Number.MAX_SAFE_INTEGER, LIVE_MAX);
    if (live.length < LIVE_MAX) return;
    const detail = `There are ${LIVE_MAX} operations under way, which is as many as there may be.`;
    throw new Problem('TOO_MANY_REQUESTS', detail, { headers: { 'retry-after': '5' } });
  }
}

/** Whoever has limits sees what was asked for with the same ones: it is about the same tasks. */
function isSeen({ requester }: OperationRecord, principal: Principal): boolean {
  return !isLimited(principal) || scopeOf(requester) === scopeOf(principal);
}

function scopeOf({ flows, labels }: Pick<Limits, 'flows' | 'labels'>): string {
  return canonicalJson({ flows, labels });
}

/** Keys of different people never meet. */
function keyText({ keyId }: OperationRequester, key: string): string {
  return `operation ${JSON.stringify([keyId, key])}`;
}

function hashOf(order: OperationOrder): string {
  return createHash('sha256').update(canonicalJson(order)).digest('hex');
}

function hasEnded({ status }: OperationRecord): Problem {
  return new Problem('OPERATION_ENDED', `The operation has ended: it is ${status}.`);
}
