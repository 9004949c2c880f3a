import type { Task } from '#core';
import { toColumn } from './column-text.js';
import { decodeEntries, encodeEntries, firstAfter } from './journal-codec.js';
import { decodePlan, encodePlan, type StepShelf } from './plan-codec.js';
import { COMMIT_SETS } from './protocol.js';
import type { CommitRequest, InsertRequest, StoredTask } from './protocol.js';
import { decodeState, encodeState } from './state-codec.js';
import type { KnownTask } from './task-cache.js';
import { wakeSlot } from './wake-slot.js';

/**
 * A write and what will be known of the task once it is stored; the row's number comes with the
 * answer, and is written into it: a copy would cost more than all the rest of it.
 */
export interface EncodedWrite<Request> {
  readonly request: Request;
  readonly known: KnownTask;
}

/** A row's journal is written anew when it holds this many entries more than the task does. */
const DROPPED_MAX = 1_000;

/** What stores a new task. */
export function encodeInsert(task: Task, shelf: StepShelf): EncodedWrite<InsertRequest> {
  const { plan, revision, status, wakeAt, journal } = task;
  const steps = shelf.describe(plan.steps);
  const planText = encodePlan(plan);
  const { state, fragments, outputs } = encodeState(task, null);
  const entries = encodeEntries(journal, { createdAt: plan.createdAt });
  const request: InsertRequest = [
    'insert',
    toColumn(plan.taskId),
    plan.idempotencyKey === null ? null : toColumn(plan.idempotencyKey),
    steps.key,
    shelf.has(steps.key) ? null : steps.text,
    planText,
    toColumn(plan.flow),
    plan.createdAt,
    labelColumns(plan.labels),
    revision,
    status,
    wakeAt,
    state,
    entries,
    outputs,
  ];
  const weight = planText.length + state.length + entries.length;
  return { request, known: { task, row: 0, fragments, journalStored: journal.length, weight } };
}

/**
 * What turns the stored document from `previous` into `next`. `known` is what is known of the task,
 * which may be another document of it than `previous`.
 */
export function encodeCommit(
  previous: Task,
  next: Task,
  known: KnownTask | undefined,
): EncodedWrite<CommitRequest> {
  const base = known?.task === previous ? known : null;
  const { state, fragments, outputs } = encodeState(next, base);
  const journal = journalChange(previous, next, base);
  const request: CommitRequest = [
    'commit',
    known?.row ?? toColumn(next.plan.taskId),
    previous.revision,
    next.revision,
    next.status,
    next.wakeAt,
    state,
    journal.text,
    setsOf(previous, next) + (journal.isWhole ? COMMIT_SETS.wholeJournal : 0),
    outputs,
  ];
  const weight = (base?.weight ?? state.length) + journal.text.length;
  const journalStored = journal.stored;
  return { request, known: { task: next, row: 0, fragments, journalStored, weight } };
}

/** The task that a stored row stands for. */
export function decodeTask(stored: StoredTask, shelf: StepShelf): KnownTask {
  const [, row, revision, status, wakeAt, stepsKey, planText, ...more] = stored;
  const [state, journalText, outputs] = more;
  const plan = decodePlan(planText, shelf.get(stepsKey));
  const { createdAt } = plan;
  const { journalFrom, ...decoded } = decodeState({ text: state, outputs, createdAt });
  const journal = decodeEntries(journalText, { createdAt, fromSeq: journalFrom });
  const task = { plan, revision, status, wakeAt, ...decoded, journal } as Task;
  const journalStored = decoded.journalSeq - journalFrom + 1;
  const weight = planText.length + state.length + journalText.length;
  return { task, row, fragments: null, journalStored, weight };
}

/** Which indexed columns change. */
function setsOf(previous: Task, next: Task): number {
  const status = previous.status === next.status ? 0 : COMMIT_SETS.status;
  const isSameSlot = wakeSlot(previous.wakeAt) === wakeSlot(next.wakeAt);
  return status + (isSameSlot ? 0 : COMMIT_SETS.wakeSlot);
}

interface JournalChange {
  readonly text: string;
  readonly isWhole: boolean;
  readonly stored: number;
}

/**
 * New entries are appended to the row's; what the task has dropped stays there until it is too
 * much.
 */
function journalChange(previous: Task, next: Task, base: KnownTask | null): JournalChange {
  const { journal } = next;
  const { createdAt } = next.plan;
  const from = firstAfter(journal, previous.journalSeq);
  const stored = (base?.journalStored ?? previous.journal.length) + journal.length - from;
  if (stored <= journal.length + DROPPED_MAX) {
    return { text: encodeEntries(journal, { createdAt, from }), isWhole: false, stored };
  }
  return { text: encodeEntries(journal, { createdAt }), isWhole: true, stored: journal.length };
}

function labelColumns(labels: Readonly<Record<string, string>>): InsertRequest[8] {
  const entries = Object.entries(labels);
  return entries.length === 0
    ? null
    : entries.map(([key, value]) => [toColumn(key), toColumn(value)]);
}
