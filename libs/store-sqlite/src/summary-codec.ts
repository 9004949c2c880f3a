import { DocumentFault, readStoredJson, readList } from '#core/json';
import { readAwaited, readWait, summaryFault, type TaskSummary } from '#core/stored';
import type { Task } from '#core';
import { fromColumn } from './column-text.js';
import { originOf } from './sought-columns.js';
import type { RowPosition, StoredPage, StoredSummaries, StoredSummary } from './protocol.js';
import { cutStateHead, STATE_FORMAT } from './state-head.js';
import { fromTaskTime } from './task-time.js';

/**
 * The part of a plan that lists show, in a column of its own: a plan is as large as its parameters.
 */
type PlanHead = readonly [
  flowVersion: number,
  priority: number,
  labels: TaskSummary['labels'],
  /** Absent: null. */
  parent?: TaskSummary['parent'],
];

type StateHead = readonly [
  format: number,
  message: string | null,
  cursor: number,
  startedAt: number | null,
  endedAt: number | null,
];

/** JSON text of what lists show of a plan. */
export function encodePlanHead(plan: Task['plan']): string {
  const { flowVersion, labels, parent, priority } = plan;
  const head: PlanHead = [flowVersion, priority, labels];
  return JSON.stringify(parent === null ? head : [...head, parent]);
}

/** A page of at most this number of tasks from its text; null: a state's head is not whole. */
export function summariesOf(text: string, limit: number): StoredSummaries | null {
  const page = readStoredJson(text, 'a page') as StoredPage;
  const summaries: StoredSummary[] = [];
  for (let n = 0; n < page.length && n < limit; n += 1) {
    const [taskId, row, revision, status, wakeAt, flow, createdAt, ...rest] = page[n]!;
    const [planHead, waits, awaits, requestId, client, operator, state] = rest;
    if (taskId === null) continue;
    const head = typeof state === 'string' ? cutStateHead(state) : undefined;
    if (head === undefined) return null;
    const first = [taskId, row, revision, status, wakeAt, flow, createdAt] as const;
    summaries.push([...first, planHead, waits, awaits, requestId, client, operator, head]);
  }
  return { summaries, last: page.length <= limit ? null : placeOf(page[limit - 1]!) };
}

/** A time that is none stands before all others. */
function placeOf([, row, , , , , createdAt]: StoredSummary): RowPosition {
  return [typeof createdAt === 'number' ? createdAt : Number.MAX_SAFE_INTEGER, row];
}

/** The summary that a stored row stands for. Throws `DocumentFault`. */
export function decodeSummary(stored: StoredSummary): TaskSummary {
  const [taskId, , revision, status, wakeAt, flow, createdAt, ...rest] = stored;
  const [planHead, waits, awaits, requestId, client, operator, stateHead] = rest;
  const [flowVersion, priority, labels, parent = null] = readParts(
    planHead,
    'its plan',
  ) as PlanHead;
  const [format, message, cursor, startedAt, endedAt] = readParts(
    stateHead,
    'its state',
  ) as StateHead;
  if (format !== STATE_FORMAT)
    throw new DocumentFault(`its state has the unknown format ${format}`);
  const summary: TaskSummary = {
    taskId: fromColumn(taskId),
    flow: fromColumn(flow),
    flowVersion,
    createdAt,
    labels,
    priority,
    parent,
    origin: originOf([requestId, client, operator]),
    revision,
    status: status as TaskSummary['status'],
    message,
    cursor,
    startedAt: fromTaskTime(startedAt, createdAt),
    endedAt: fromTaskTime(endedAt, createdAt),
    wakeAt,
    approvals: readWait(waits),
    awaits: readAwaited(awaits, status),
  };
  const fault = summaryFault(summary);
  if (fault !== null) throw new DocumentFault(fault);
  return summary;
}

function readParts(text: string | null, what: string): readonly unknown[] {
  return readList(readStoredJson(text, what) as readonly unknown[], what);
}
