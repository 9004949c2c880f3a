import type { ActionRun, DoneAction, JournalEntry, Lease, StepRuns, Task, TaskPlan } from '#core';
import {
  fromSafe,
  fromSafeOrNull,
  toDate,
  toDateOrNull,
  toJson,
  toMsOrNull,
  toSafe,
  toSafeOrNull,
  toText,
} from './bson-values.js';
import { labelsToTexts, textsToLabels } from './labels.js';
import type { StepLists, StepsDocument } from './plan-document.js';
import type { Writer } from './writers.js';

/** An action's run as stored. */
export interface RunDocument extends Omit<
  ActionRun,
  'startedAt' | 'endedAt' | 'dueAt' | 'deadline' | 'lease' | 'output'
> {
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly dueAt: Date | null;
  readonly deadline: Date | null;
  readonly lease: (Omit<Lease, 'until'> & { readonly until: Date }) | null;
  /** JSON text. */
  readonly output: string | null;
}

/** Both halves of a step's run as stored. */
export interface StepRunsDocument {
  readonly normal: RunDocument;
  readonly rollback: RunDocument | null;
}

/** A journal entry as stored. */
export interface JournalDocument extends Omit<JournalEntry, 'at'> {
  readonly at: Date;
}

/** What of the plan is never searched for. Written once. */
export interface PlanDocument extends StepsDocument {
  readonly v: 1;
  readonly flowVersion: number;
  readonly deadline: Date | null;
  /** JSON text. */
  readonly parameters: string;
  readonly priority: number;
  readonly requestHash: string | null;
  readonly traceparent: string | null;
}

/**
 * A task as stored. People read it in the shell; what users put into a task is opaque text.
 */
export interface TaskDocument {
  readonly _id: string;
  readonly flow: string;
  readonly status: number;
  readonly revision: number;
  readonly cursor: number;
  readonly message: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** Absent once the task is final, so that its index holds live tasks only. */
  readonly wakeAt?: Date;
  /** Absent where the task has none: the index on it is unique and sparse. */
  readonly idempotencyKey?: string;
  readonly labels: readonly string[];
  readonly token: number;
  readonly runs: readonly StepRunsDocument[];
  readonly alert: RunDocument | null;
  readonly alertStep: number | null;
  readonly doneActions: readonly DoneAction[];
  readonly journal: readonly JournalDocument[];
  readonly journalSeq: number;
  readonly plan: PlanDocument;
  /** Who wrote the last few revisions. */
  readonly writers: readonly Writer[];
}

/** Stored form of a new task. */
export function taskToDocument(task: Task, mark: string, lists: StepLists): TaskDocument {
  const { plan } = task;
  return {
    _id: plan.taskId,
    flow: plan.flow,
    status: task.status,
    revision: task.revision,
    cursor: task.cursor,
    message: toSafeOrNull(task.message),
    createdAt: toDate(plan.createdAt),
    startedAt: toDateOrNull(task.startedAt),
    endedAt: toDateOrNull(task.endedAt),
    ...(task.wakeAt === null ? {} : { wakeAt: toDate(task.wakeAt) }),
    ...(plan.idempotencyKey === null ? {} : { idempotencyKey: toSafe(plan.idempotencyKey) }),
    labels: labelsToTexts(plan.labels),
    token: task.token,
    runs: task.runs.map(runsToDocument),
    alert: runToDocumentOrNull(task.alert),
    alertStep: task.alertStep,
    doneActions: doneToDocument(task.doneActions),
    journal: task.journal.map(entryToDocument),
    journalSeq: task.journalSeq,
    plan: planToDocument(plan, lists),
    writers: [{ revision: task.revision, mark }],
  };
}

/** The task behind its stored form. */
export function documentToTask(document: TaskDocument, lists: StepLists): Task {
  return {
    plan: documentToPlan(document, lists),
    revision: document.revision,
    status: document.status as Task['status'],
    message: fromSafeOrNull(document.message),
    cursor: document.cursor,
    startedAt: toMsOrNull(document.startedAt),
    endedAt: toMsOrNull(document.endedAt),
    wakeAt: toMsOrNull(document.wakeAt ?? null),
    token: document.token,
    runs: document.runs.map(documentToRuns),
    alert: documentToRunOrNull(document.alert),
    alertStep: document.alertStep,
    doneActions: document.doneActions.map(documentToDone),
    journal: document.journal.map(documentToEntry),
    journalSeq: document.journalSeq,
  };
}

/** Stored form of an action's run. */
export function runToDocument(run: ActionRun): RunDocument {
  const { lease } = run;
  return {
    ...run,
    message: toSafeOrNull(run.message),
    startedAt: toDateOrNull(run.startedAt),
    endedAt: toDateOrNull(run.endedAt),
    dueAt: toDateOrNull(run.dueAt),
    deadline: toDateOrNull(run.deadline),
    lease: lease === null ? null : { ...lease, until: toDate(lease.until) },
    output: toText(run.output),
  };
}

/** Stored form of a run that may be absent. */
export function runToDocumentOrNull(run: ActionRun | null): RunDocument | null {
  return run === null ? null : runToDocument(run);
}

/** Stored form of both halves of a step. */
export function runsToDocument(runs: StepRuns): StepRunsDocument {
  return { normal: runToDocument(runs.normal), rollback: runToDocumentOrNull(runs.rollback) };
}

/** Stored form of a journal entry. */
export function entryToDocument(entry: JournalEntry): JournalDocument {
  return { ...entry, at: toDate(entry.at), ...mapRemarks(entry, toSafe) };
}

/** Stored form of the actions that were carried out under a key. */
export function doneToDocument(done: readonly DoneAction[]): readonly DoneAction[] {
  return done.map(({ key, action }) => ({ key: toSafe(key), action: toSafe(action) }));
}

function documentToDone({ key, action }: DoneAction): DoneAction {
  return { key: fromSafe(key), action: fromSafe(action) };
}

function documentToEntry(document: JournalDocument): JournalEntry {
  return { ...document, at: document.at.getTime(), ...mapRemarks(document, fromSafe) };
}

type Remarks = Pick<JournalEntry, 'actor' | 'message'>;

/** What people wrote into an entry; what is absent stays absent. */
function mapRemarks({ actor, message }: Remarks, map: (text: string) => string): Remarks {
  return {
    ...(actor === undefined ? {} : { actor: map(actor) }),
    ...(message === undefined ? {} : { message: map(message) }),
  };
}

function planToDocument(plan: TaskPlan, lists: StepLists): PlanDocument {
  return {
    v: plan.v,
    flowVersion: plan.flowVersion,
    deadline: toDateOrNull(plan.deadline),
    parameters: JSON.stringify(plan.parameters),
    priority: plan.priority,
    requestHash: toSafeOrNull(plan.requestHash),
    traceparent: plan.traceparent,
    ...lists.toDocument(plan.steps),
  };
}

function documentToPlan(document: TaskDocument, lists: StepLists): TaskPlan {
  const { plan } = document;
  if (plan.v !== 1)
    throw new Error(`Task ${document._id} has the unknown format ${String(plan.v)}`);
  return {
    v: plan.v,
    taskId: document._id,
    flow: document.flow,
    flowVersion: plan.flowVersion,
    createdAt: document.createdAt.getTime(),
    parameters: toJson(plan.parameters) ?? {},
    labels: textsToLabels(document.labels),
    priority: plan.priority,
    idempotencyKey: fromSafeOrNull(document.idempotencyKey ?? null),
    requestHash: fromSafeOrNull(plan.requestHash),
    deadline: toMsOrNull(plan.deadline),
    traceparent: plan.traceparent,
    steps: lists.fromDocument(plan),
  };
}

function documentToRunOrNull(document: RunDocument | null): ActionRun | null {
  return document === null ? null : documentToRun(document);
}

function documentToRun(document: RunDocument): ActionRun {
  const { lease } = document;
  return {
    ...document,
    message: fromSafeOrNull(document.message),
    startedAt: toMsOrNull(document.startedAt),
    endedAt: toMsOrNull(document.endedAt),
    dueAt: toMsOrNull(document.dueAt),
    deadline: toMsOrNull(document.deadline),
    lease: lease === null ? null : { ...lease, until: lease.until.getTime() },
    output: toJson(document.output),
  };
}

function documentToRuns(document: StepRunsDocument): StepRuns {
  return {
    normal: documentToRun(document.normal),
    rollback: documentToRunOrNull(document.rollback),
  };
}
