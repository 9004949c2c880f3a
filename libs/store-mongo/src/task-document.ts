import { awaitedText, checkTask, Journal, ownersOf, readList, storedAlert, waitText } from '#core';
import type { Alert, ParentOfTask, Task, TaskPlan } from '#core';
import {
  fromSafeOrNull,
  toDate,
  toDateOrNull,
  toMsOrNull,
  toSafe,
  toSafeOrNull,
} from './bson-values.js';
import {
  documentToDone,
  documentToEdit,
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
  entryToText,
  type FailureTaskDocument,
  failureToDocument,
  type HoldDocument,
  holdToDocument,
  type PauseDocument,
  pauseToDocument,
  type ScopeDocument,
  scopeToDocument,
  type SignalDocument,
  signalsToDocument,
  textToEntry,
  type TurnDocument,
  turnToDocument,
} from './fact-document.js';
import { labelsToTexts } from './labels.js';
import type { StepLists } from './plan-document.js';
import { documentToRuns, runsToDocument, type StepRunsDocument } from './run-document.js';
import { documentToPlan, type PlanDocument, planToDocument } from './task-plan-document.js';
import { writerToText } from './writers.js';

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
  /**
   * When it changed notably last, by the server's clock: of a commit at the very write, of an
   * insert right before it. Absent: that was before there was this member.
   */
  readonly changedAt?: Date;
  /** Absent where the task has none: the index on it is unique and sparse. */
  readonly idempotencyKey?: string;
  /** Sessions that hold running actions; absent where nothing runs, so that its index is small. */
  readonly owners?: readonly string[];
  /** Absent: none, so that its index holds tasks with labels only. */
  readonly labels?: readonly string[];
  /** Absent: it is nobody's child. */
  readonly parent?: ParentOfTask;
  /** JSON text; absent: it waits for no person, so that its index holds tasks alone that do. */
  readonly waits?: string;
  /** The event without which it does not go on, as lists show it; absent: it goes on. */
  readonly awaits?: string;
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
  /** Absent: false. */
  readonly hasSecrets?: boolean;
  readonly alert: Alert | null;
  readonly doneActions: readonly DoneDocument[];
  /** Each entry as JSON text. */
  readonly journal: readonly string[];
  readonly journalSeq: number;
  readonly plan: PlanDocument;
  /**
   * Of the newest revision whose message carries the document: the hash of its text there. Any
   * other revision has another text, so it need not be taken away.
   */
  readonly snapshotHash?: string;
  /** The writers of the last few revisions. */
  readonly writers: readonly string[];
}

const NO_EDITS: readonly EditDocument[] = [];
const NO_SIGNALS: readonly SignalDocument[] = [];

/** Stored form of a new task. */
export function taskToDocument(task: Task, mark: string, lists: StepLists): TaskDocument {
  const { plan } = task;
  const owners = ownersOf(task);
  const waits = waitText(task);
  const awaits = awaitedText(task);
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
    ...(hasLabels(plan) && { labels: labelsToTexts(plan.labels) }),
    ...(plan.parent === null ? {} : { parent: plan.parent }),
    ...(waits !== null && { waits }),
    ...(awaits !== null && { awaits }),
    token: task.token,
    runs: task.runs.map(runsToDocument),
    ...(task.scopes.length === 0 ? {} : { scopes: task.scopes.map(scopeToDocument) }),
    ...(task.signals.length === 0 ? {} : { signals: signalsToDocument(task.signals) }),
    ...(task.locks.length === 0 ? {} : { locks: JSON.stringify(task.locks) }),
    ...(task.failureTask && { failureTask: failureToDocument(task.failureTask) }),
    ...(task.hasSecrets && { hasSecrets: true }),
    alert: task.alert,
    doneActions: doneToDocument(task.doneActions),
    journal: task.journal.entries().map(entryToText),
    journalSeq: task.journalSeq,
    plan: planToDocument(plan, lists),
    writers: [writerToText({ revision: task.revision, mark })],
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
    alert: storedAlert(document.alert),
    doneActions: readList(document.doneActions, 'doneActions').map(documentToDone),
    signals: readList(document.signals ?? NO_SIGNALS, 'signals').map(documentToSignal),
    locks: documentToLocks(document.locks),
    failureTask: documentToFailure(document.failureTask ?? null),
    hasSecrets: document.hasSecrets ?? false,
    journal: Journal.of(readList(document.journal, 'journal').map(textToEntry)),
    journalSeq: document.journalSeq,
    index: null,
  });
}

function hasLabels({ labels }: TaskPlan): boolean {
  for (const _ in labels) return true;
  return false;
}
