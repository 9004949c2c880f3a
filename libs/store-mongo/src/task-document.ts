import { checkTask, DocumentFault, ownersOf, readList } from '#core';
import type { ActionRun, Lease, ParentOfTask, StepRuns, Task } from '#core';
import {
  fromSafeOrNull,
  toDate,
  toDateOrNull,
  toJson,
  toMsOrNull,
  toSafe,
  toSafeOrNull,
  toText,
} from './bson-values.js';
import {
  documentToDone,
  documentToEdit,
  documentToEntry,
  documentToFailure,
  documentToHold,
  documentToLocks,
  documentToPause,
  documentToScopes,
  documentToSignal,
  documentToTurn,
  type DoneDocument,
  doneToDocument,
  type EditDocument,
  editsToDocument,
  entryToDocument,
  type FailureTaskDocument,
  failureToDocument,
  type HoldDocument,
  holdToDocument,
  type JournalDocument,
  type PauseDocument,
  pauseToDocument,
  type ScopeDocument,
  scopesToDocument,
  type SignalDocument,
  signalsToDocument,
  type TurnDocument,
  turnToDocument,
} from './fact-document.js';
import { labelsToTexts } from './labels.js';
import type { StepLists } from './plan-document.js';
import { documentToPlan, type PlanDocument, planToDocument } from './task-plan-document.js';
import type { Writer } from './writers.js';

/** An action's run as stored. */
export interface RunDocument extends Omit<
  ActionRun,
  | 'startedAt'
  | 'endedAt'
  | 'dueAt'
  | 'orderAt'
  | 'deadline'
  | 'output'
  | 'refused'
  | 'crashes'
  | 'error'
  | 'values'
> {
  /** Absent: null. */
  readonly error?: string;
  /** JSON text; absent: null. */
  readonly values?: string;
  /** Absent in documents of builds that did not count it: 0. */
  readonly refused?: number;
  /** The same. */
  readonly crashes?: number;
  /** Milliseconds since 1970, not always a moment of a calendar. Absent in old documents: null. */
  readonly orderAt?: number | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly dueAt: Date | null;
  readonly deadline: Date | null;
  readonly lease: Lease | null;
  /** JSON text. */
  readonly output: string | null;
}

/** Both halves of a step's run as stored. */
export interface StepRunsDocument {
  /** Absent: 1. */
  readonly generation?: number;
  readonly normal: RunDocument;
  readonly rollback: RunDocument | null;
}

/**
 * A task as stored. People read it in the shell; what users put into a task is opaque text.
 */
export interface TaskDocument {
  readonly _id: string;
  readonly flow: string;
  readonly status: number;
  readonly way: Task['way'];
  readonly turned: TurnDocument | null;
  readonly hold: HoldDocument | null;
  readonly paused: PauseDocument | null;
  readonly outcome: Task['outcome'];
  readonly revision: number;
  readonly cursor: number;
  readonly message: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** Absent: null. */
  readonly resetAt?: Date | null;
  /** Absent: none. */
  readonly edits?: readonly EditDocument[];
  /** Absent once the task is final, so that its index holds live tasks only. */
  readonly wakeAt?: Date;
  /** Absent where the task has none: the index on it is unique and sparse. */
  readonly idempotencyKey?: string;
  /** Sessions that hold running actions; absent where nothing runs, so that its index is small. */
  readonly owners?: readonly string[];
  readonly labels: readonly string[];
  /** Absent: it is nobody's child. */
  readonly parent?: ParentOfTask;
  readonly token: number;
  readonly runs: readonly StepRunsDocument[];
  /** Absent: no scope was entered. */
  readonly scopes?: readonly ScopeDocument[];
  /** Absent: none. */
  readonly signals?: readonly SignalDocument[];
  /** JSON text; absent: it holds and waits for no lock. */
  readonly locks?: string;
  /** Absent: null. */
  readonly failureTask?: FailureTaskDocument | null;
  readonly alert: RunDocument | null;
  readonly alertStep: number | null;
  readonly doneActions: readonly DoneDocument[];
  readonly journal: readonly JournalDocument[];
  readonly journalSeq: number;
  readonly plan: PlanDocument;
  /**
   * Of the newest revision whose message carries the document: the hash of its text there. Any
   * other revision has another text, so it need not be taken away.
   */
  readonly snapshotHash?: string;
  /** Who wrote the last few revisions. */
  readonly writers: readonly Writer[];
}

const NO_EDITS: readonly EditDocument[] = [];
const NO_SIGNALS: readonly SignalDocument[] = [];

/** Stored form of a new task. */
export function taskToDocument(task: Task, mark: string, lists: StepLists): TaskDocument {
  const { plan } = task;
  const owners = ownersOf(task);
  return {
    _id: plan.taskId,
    flow: plan.flow,
    status: task.status,
    way: task.way,
    turned: turnToDocument(task.turned),
    hold: holdToDocument(task.hold),
    paused: pauseToDocument(task.paused),
    outcome: task.outcome,
    revision: task.revision,
    cursor: task.cursor,
    message: toSafeOrNull(task.message),
    createdAt: toDate(plan.createdAt),
    startedAt: toDateOrNull(task.startedAt),
    endedAt: toDateOrNull(task.endedAt),
    ...(task.resetAt === null ? {} : { resetAt: toDate(task.resetAt) }),
    ...(task.edits.length === 0 ? {} : { edits: editsToDocument(task.edits) }),
    ...(task.wakeAt === null ? {} : { wakeAt: toDate(task.wakeAt) }),
    ...(plan.idempotencyKey === null ? {} : { idempotencyKey: toSafe(plan.idempotencyKey) }),
    ...(owners.length === 0 ? {} : { owners }),
    labels: labelsToTexts(plan.labels),
    ...(plan.parent === null ? {} : { parent: plan.parent }),
    token: task.token,
    runs: task.runs.map(runsToDocument),
    ...(task.scopes.length === 0 ? {} : { scopes: scopesToDocument(task.scopes) }),
    ...(task.signals.length === 0 ? {} : { signals: signalsToDocument(task.signals) }),
    ...(task.locks.length === 0 ? {} : { locks: JSON.stringify(task.locks) }),
    ...(task.failureTask && { failureTask: failureToDocument(task.failureTask) }),
    alert: runToDocumentOrNull(task.alert),
    alertStep: task.alertStep,
    doneActions: doneToDocument(task.doneActions),
    journal: task.journal.map(entryToDocument),
    journalSeq: task.journalSeq,
    plan: planToDocument(plan, lists),
    writers: [{ revision: task.revision, mark }],
  };
}

/**
 * The task behind its stored form. Throws `DocumentFault`, or whatever its parts throw, where there
 * is none.
 */
export function documentToTask(document: TaskDocument, lists: StepLists): Task {
  return checkTask({
    plan: documentToPlan(document, lists),
    revision: document.revision,
    status: document.status as Task['status'],
    way: document.way,
    turned: documentToTurn(document.turned),
    hold: documentToHold(document.hold),
    paused: documentToPause(document.paused),
    outcome: document.outcome,
    message: fromSafeOrNull(document.message),
    cursor: document.cursor,
    startedAt: toMsOrNull(document.startedAt),
    endedAt: toMsOrNull(document.endedAt),
    resetAt: toMsOrNull(document.resetAt ?? null),
    edits: readList(document.edits ?? NO_EDITS, 'edits').map(documentToEdit),
    wakeAt: toMsOrNull(document.wakeAt ?? null),
    token: document.token,
    runs: readList(document.runs, 'runs').map(documentToRuns),
    scopes: documentToScopes(document.scopes),
    alert: documentToRunOrNull(document.alert, 'alert'),
    alertStep: document.alertStep,
    doneActions: readList(document.doneActions, 'doneActions').map(documentToDone),
    signals: readList(document.signals ?? NO_SIGNALS, 'signals').map(documentToSignal),
    locks: documentToLocks(document.locks),
    failureTask: documentToFailure(document.failureTask ?? null),
    journal: readList(document.journal, 'journal').map(documentToEntry),
    journalSeq: document.journalSeq,
    tally: null,
  });
}

/** Stored form of an action's run. */
export function runToDocument({ error, values, ...run }: ActionRun): RunDocument {
  return {
    ...run,
    ...(error === null ? {} : { error: toSafe(error) }),
    ...(values === null ? {} : { values: JSON.stringify(values) }),
    message: toSafeOrNull(run.message),
    startedAt: toDateOrNull(run.startedAt),
    endedAt: toDateOrNull(run.endedAt),
    dueAt: toDateOrNull(run.dueAt),
    deadline: toDateOrNull(run.deadline),
    output: toText(run.output),
  };
}

/** Stored form of a run that may be absent. */
export function runToDocumentOrNull(run: ActionRun | null): RunDocument | null {
  return run === null ? null : runToDocument(run);
}

/** Stored form of both halves of a step. */
export function runsToDocument(runs: StepRuns): StepRunsDocument {
  const { generation } = runs;
  const normal = runToDocument(runs.normal);
  const rollback = runToDocumentOrNull(runs.rollback);
  return generation === 1 ? { normal, rollback } : { generation, normal, rollback };
}

function documentToRunOrNull(document: RunDocument | null, where: string): ActionRun | null {
  return document === null ? null : documentToRun(document, where);
}

function documentToRun(document: RunDocument, where: string): ActionRun {
  if (typeof document !== 'object') throw new DocumentFault(`${where} is not an object`);
  return {
    ...document,
    error: fromSafeOrNull(document.error ?? null),
    values: toJson(document.values ?? null, `${where}.values`),
    refused: document.refused ?? 0,
    crashes: document.crashes ?? 0,
    orderAt: document.orderAt ?? null,
    message: fromSafeOrNull(document.message),
    startedAt: toMsOrNull(document.startedAt),
    endedAt: toMsOrNull(document.endedAt),
    dueAt: toMsOrNull(document.dueAt),
    deadline: toMsOrNull(document.deadline),
    output: toJson(document.output, `${where}.output`),
  };
}

function documentToRuns(document: StepRunsDocument, step: number): StepRuns {
  return {
    generation: document.generation ?? 1,
    normal: documentToRun(document.normal, `runs[${step}].normal`),
    rollback: documentToRunOrNull(document.rollback, `runs[${step}].rollback`),
  };
}
