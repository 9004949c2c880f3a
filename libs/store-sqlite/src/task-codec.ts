import { Journal, type Task } from '#core';
import { DocumentFault } from '#core/json';
import { awaitedText, checkTask, hasSameTerms, isNotableChange, waitText } from '#core/stored';
import { toColumn } from './column-text.js';
import { COMMIT_SETS } from './commit-sets.js';
import { decodeJournal, journalChange, wholeJournal } from './journal-text.js';
import { type Beside, PLACE } from './places.js';
import { decodePlan, encodePlan, type StepShelf } from './plan-codec.js';
import type { CommitRequest, InsertRequest, StoredTask } from './protocol.js';
import { labelColumns, originColumns } from './sought-columns.js';
import { decodeState, encodeState } from './state-codec.js';
import { encodePlanHead } from './summary-codec.js';
import type { KnownTask } from './task-cache.js';
import { termLines } from './term-lines.js';
import { wakeSlot } from './task-time.js';

/**
 * A write and what will be known of the task once it is stored; the row's number comes with the
 * answer, and is written into it: a copy would cost more than all the rest of it.
 */
interface EncodedWrite<Request> {
  readonly request: Request;
  readonly known: KnownTask;
}

/** Makes the write that stores a new task. */
export function encodeInsert(task: Task, shelf: StepShelf): EncodedWrite<InsertRequest> {
  const { plan, revision, status, wakeAt } = task;
  const steps = shelf.describe(plan.steps);
  const planText = encodePlan(plan);
  const journal = wholeJournal(task);
  const { state, fragments, apart, reached, warm, beside } = encodeState(task, null, journal);
  const request: InsertRequest = [
    'insert',
    toColumn(plan.taskId),
    plan.idempotencyKey === null ? null : toColumn(plan.idempotencyKey),
    steps.key,
    shelf.has(steps.key) ? null : steps.text,
    encodePlanHead(plan),
    planText,
    toColumn(plan.flow),
    plan.createdAt,
    labelColumns(plan),
    revision,
    status,
    wakeAt,
    state,
    journal.text,
    beside,
    parentColumns(plan),
    waitText(task),
    awaitedText(task),
    termLines(task),
    ...originColumns(plan),
  ];
  const weight = planText.length + state.length + journal.text.length + weightOf(beside);
  const { segments, stored, tail } = journal;
  const known: KnownTask = {
    task,
    row: 0,
    fragments,
    apart,
    reached,
    warm,
    journalStored: stored,
    journalTail: tail,
    segments,
    weight,
  };
  return { request, known };
}

/**
 * Makes the write that turns the stored document from `previous` into `next`. `known` is the cached
 * state of the task, which may be from another document of it than `previous`.
 */
export function encodeCommit(
  previous: Task,
  next: Task,
  known: KnownTask | undefined,
): EncodedWrite<CommitRequest> {
  const base = known?.task === previous ? known : null;
  const journal = journalChange(previous, next, base);
  const changed = setsOf(previous, next);
  const { state, fragments, apart, reached, warm, beside } = encodeState(next, base, journal);
  const request: CommitRequest = [
    'commit',
    known?.row ?? toColumn(next.plan.taskId),
    previous.revision,
    next.revision,
    next.status,
    next.wakeAt,
    state,
    journal.text,
    changed.sets + journal.sets,
    beside,
    changed.waits,
    changed.awaits,
    changed.terms,
  ];
  const stored: KnownTask = {
    task: next,
    row: 0,
    fragments,
    apart,
    reached,
    warm,
    journalStored: journal.stored,
    journalTail: journal.tail,
    segments: journal.segments,
    weight: (base?.weight ?? state.length + weightOf(beside)) + journal.text.length,
  };
  return { request, known: stored };
}

/** Characters of the texts beside a row. */
function weightOf(beside: Beside | null): number {
  let sum = 0;
  for (const [, text] of beside ?? []) sum += text.length;
  return sum;
}

/** The task that a stored row stands for. Throws `DocumentFault`, or whatever its parts throw. */
export function decodeTask(stored: StoredTask, shelf: StepShelf): KnownTask {
  const [, row, revision, status, wakeAt, stepsKey, planText, ...more] = stored;
  const [state, tail, texts] = more;
  const plan = decodePlan(planText, shelf.get(stepsKey));
  const { createdAt, steps } = plan;
  const beside = new Map<number, unknown>(texts);
  const decoded = decodeState({ text: state, beside, createdAt, steps });
  const { apart, content, journalFrom, reached, segments, warm } = decoded;
  const { journal, journalStored, journalTail } = decodeJournal({
    tail,
    segments: segmentsOf(beside, segments),
    createdAt,
    fromSeq: journalFrom,
  });
  const columns = { plan, revision, status: status as Task['status'], wakeAt };
  const task = checkTask({ ...content, ...columns, journal: Journal.of(journal) });
  const weight = planText.length + state.length + tail.length + weightOf(texts);
  const places = { fragments: null, apart, reached, warm, segments };
  return { task, row, ...places, journalStored, journalTail, weight };
}

/** Texts of the journal's segments, whatever is stored as such. Throws `DocumentFault`. */
function segmentsOf(beside: ReadonlyMap<number, unknown>, count: number): readonly unknown[] {
  if (count > beside.size) throw new DocumentFault('a part of its journal is missing');
  return Array.from({ length: count }, (_, n) => beside.get(PLACE.journal + n));
}

/** The columns that few commits change. */
interface ChangedColumns extends Readonly<Record<'waits' | 'awaits' | 'terms', string | null>> {
  readonly sets: number;
}

/** Which of these columns change, and their texts where they do. */
function setsOf(previous: Task, next: Task): ChangedColumns {
  const status = previous.status === next.status ? 0 : COMMIT_SETS.status;
  const isSameSlot = wakeSlot(previous.wakeAt) === wakeSlot(next.wakeAt);
  const awaits = awaitedText(next);
  const isSameEvent = awaits === awaitedText(previous);
  const isSameWork = hasSameTerms(previous, next);
  const sets =
    status +
    (isSameSlot ? 0 : COMMIT_SETS.wakeSlot) +
    (isSameEvent ? 0 : COMMIT_SETS.awaits) +
    (isSameWork ? 0 : COMMIT_SETS.terms);
  // To compare them with those from before would cost more than to write them.
  const terms = isSameWork ? null : termLines(next);
  if (!isNotableChange(previous, next)) return { sets, waits: null, awaits, terms };
  const waits = waitText(next);
  const isSameWait = waits === waitText(previous);
  const change = COMMIT_SETS.change + (isSameWait ? 0 : COMMIT_SETS.waits);
  return { sets: sets + change, waits: isSameWait ? null : waits, awaits, terms };
}

function parentColumns({ parent }: Task['plan']): InsertRequest[16] {
  return parent && [toColumn(parent.taskId), toColumn(parent.run), parent.index];
}
