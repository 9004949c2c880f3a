import { DocumentFault } from '#core/json';
import { checkWaits, readAwaited, summaryFault, type TaskSummary } from '#core/stored';
import { documentToPlan, documentToWaits, MEMBERS, type TaskDocument } from './task-document.js';

/** The fields of a document that are read for a list: none that is large. */
export const SUMMARY_FIELDS = {
  flow: 1,
  status: 1,
  revision: 1,
  cursor: 1,
  message: 1,
  createdAt: 1,
  startedAt: 1,
  endedAt: 1,
  wakeAt: 1,
  labels: 1,
  parent: 1,
  waits: 1,
  awaits: 1,
  'plan.v': 1,
  'plan.flowVersion': 1,
  'plan.priority': 1,
  'plan.origin': 1,
} as const;

/** The summary of a document that has at least these fields. Throws as a whole one does. */
export function documentToSummary(document: TaskDocument): TaskSummary {
  const plan = documentToPlan(document);
  const { createdAt, flow, flowVersion, labels, parent, priority, taskId } = plan;
  const { cursor, endedAt, message, revision, startedAt, status, wakeAt } = MEMBERS.read(
    document,
    0,
  );
  const summary: TaskSummary = {
    origin: plan.origin ?? null,
    ...{ taskId, flow, flowVersion, createdAt, labels, priority, parent },
    ...{ revision, status, message, cursor, startedAt, endedAt, wakeAt },
    approvals: checkWaits(documentToWaits(document)),
    awaits: readAwaited(document.awaits ?? null, document.status),
  };
  const fault = summaryFault(summary);
  if (fault !== null) throw new DocumentFault(fault);
  return summary;
}
