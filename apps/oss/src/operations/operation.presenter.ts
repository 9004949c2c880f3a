import { type JsonObject, maskValues } from '#core';
import type { OperationConsent, OperationExample, OperationRecord } from '#ports';

/** An operation as lists show it; times in ISO 8601. */
export interface PublicOperation {
  readonly operationId: string;
  readonly action: string;
  /** Empty: it is about one task. */
  readonly q: string;
  readonly taskId: string | null;
  /** Of that task. */
  readonly flow: string | null;
  /** Of the task when somebody asked. */
  readonly taskRevision: number | null;
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
  /** Numbers of refused and failed tasks, by the code of the error. */
  readonly counts: Readonly<Record<string, number>>;
  /** Null: one person is enough. */
  readonly consent: PublicConsent | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly cancel: {
    readonly actor: string;
    readonly reason: string | null;
    readonly at: string;
  } | null;
}

/** Why it needs two people, and what the second one said. */
interface PublicConsent {
  readonly rule: string;
  readonly expiresAt: string;
  readonly decision: {
    readonly actor: string;
    readonly approved: boolean;
    readonly comment: string | null;
    readonly at: string;
  } | null;
}

/** The whole of an operation. */
export interface WholeOperation extends PublicOperation {
  /** The members of the action besides the reason. */
  readonly details: JsonObject;
  readonly examples: readonly OperationExample[];
  readonly sample: readonly string[];
}

/** An operation as lists show it. */
export function presentOperation(record: OperationRecord): PublicOperation {
  const { cancel, createdAt, done, endedAt, failed, isCounted, matched, operationId } = record;
  const { action, isDryRun, q, ratePerSecond, reason } = record.order;
  return {
    operationId,
    action,
    q,
    taskId: record.order.taskId ?? null,
    flow: record.task?.flow ?? null,
    taskRevision: record.task?.revision ?? null,
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
    consent: presentConsent(record.consent),
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

function presentConsent(consent: OperationConsent | undefined): PublicConsent | null {
  if (consent === undefined) return null;
  const { decision, expiresAt, rule } = consent;
  if (decision === null) return { rule, expiresAt: timeText(expiresAt), decision: null };
  const { actor, at, comment, isApproved } = decision;
  const said = { actor, approved: isApproved, comment, at: timeText(at) };
  return { rule, expiresAt: timeText(expiresAt), decision: said };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
