import { maskValues } from '#core/secrets';
import type { OperationConsent, OperationRecord } from '#ports';
import { type Shown, timeText } from '../requests/shown.js';

/** An operation as lists show it; times in ISO 8601. */
type PublicOperation = Shown<'OperationPage'>['items'][number];

/** Why it needs two people, and what the second one said. */
type PublicConsent = Shown<'OperationConsent'>;

/** The whole of an operation. */
export type WholeOperation = Shown<'Operation'>;

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
  return { ...presentOperation(record), details: maskValues(order.details), examples, sample };
}

function presentConsent(consent: OperationConsent | undefined): PublicConsent | null {
  if (consent === undefined) return null;
  const { decision, expiresAt, rule } = consent;
  if (decision === null) return { rule, expiresAt: timeText(expiresAt), decision: null };
  const { actor, at, comment, isApproved } = decision;
  const said = { actor, approved: isApproved, comment, at: timeText(at) };
  return { rule, expiresAt: timeText(expiresAt), decision: said };
}
