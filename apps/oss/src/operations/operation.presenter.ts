import { type JsonObject, maskValues } from '#core';
import type { OperationExample, OperationRecord } from '#ports';

/** An operation as lists show it; times in ISO 8601. */
export interface PublicOperation {
  readonly operationId: string;
  readonly action: string;
  readonly q: string;
  readonly reason: string;
  /** Null: as many as go. */
  readonly ratePerSecond: number | null;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly status: string;
  readonly matched: number;
  readonly isCounted: boolean;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  /** Of a dry run: how many would be acted on; else null. */
  readonly wouldDo: number | null;
  /** What was in the way, by the code of the error. */
  readonly counts: Readonly<Record<string, number>>;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly cancel: {
    readonly actor: string;
    readonly reason: string | null;
    readonly at: string;
  } | null;
}

/** The whole of an operation. */
export interface WholeOperation extends PublicOperation {
  /** What the action was given besides the reason. */
  readonly details: JsonObject;
  readonly examples: readonly OperationExample[];
  readonly sample: readonly string[];
}

/** What lists show of an operation. */
export function presentOperation(record: OperationRecord): PublicOperation {
  const { cancel, createdAt, done, endedAt, failed, isCounted, matched, operationId } = record;
  const { action, isDryRun, q, ratePerSecond, reason } = record.order;
  return {
    operationId,
    action,
    q,
    reason,
    ratePerSecond,
    dryRun: isDryRun,
    actor: record.requester.actor,
    status: record.status,
    matched,
    isCounted,
    // Nothing is done in a dry run.
    done: isDryRun ? 0 : done,
    refused: record.refused,
    failed,
    wouldDo: isDryRun ? done : null,
    counts: Object.fromEntries(record.counts.map(({ code, count }) => [code, count])),
    createdAt: timeText(createdAt),
    endedAt: endedAt === null ? null : timeText(endedAt),
    cancel: cancel && { ...cancel, at: timeText(cancel.at) },
  };
}

/** Everything about an operation. */
export function presentWhole(record: OperationRecord): WholeOperation {
  const { examples, order, sample } = record;
  return {
    ...presentOperation(record),
    details: maskValues(order.details),
    examples,
    sample,
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
