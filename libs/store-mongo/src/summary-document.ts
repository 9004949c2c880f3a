import { DocumentFault, readAwaited, readWait, summaryFault, type TaskSummary } from '#core';
import { fromSafeOrNull, toMs, toMsOrNull } from './bson-values.js';
import { textsToLabels } from './labels.js';
import type { TaskDocument } from './task-document.js';
import { assertFormat } from './task-plan-document.js';

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
} as const;

/** The summary of a document that has at least these fields. Throws as a whole one does. */
export function documentToSummary(document: TaskDocument): TaskSummary {
  const { plan } = document;
  assertFormat(plan);
  const summary: TaskSummary = {
    taskId: document._id,
    flow: document.flow,
    flowVersion: plan.flowVersion,
    createdAt: toMs(document.createdAt),
    labels: textsToLabels(document.labels),
    priority: plan.priority,
    parent: document.parent ?? null,
    revision: document.revision,
    status: document.status as TaskSummary['status'],
    message: fromSafeOrNull(document.message),
    cursor: document.cursor,
    startedAt: toMsOrNull(document.startedAt),
    endedAt: toMsOrNull(document.endedAt),
    wakeAt: toMsOrNull(document.wakeAt ?? null),
    approvals: readWait(document.waits ?? null),
    awaits: readAwaited(document.awaits ?? null, document.status),
  };
  const fault = summaryFault(summary);
  if (fault !== null) throw new DocumentFault(fault);
  return summary;
}
