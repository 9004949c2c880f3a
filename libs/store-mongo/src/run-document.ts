import {
  DocumentFault,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type ActionRun,
  type Lease,
  type StepRuns,
  UNDO_PENDING,
} from '#core';
import { fromSafeOrNull, toDate, toJson, toMsOrNull, toSafe } from './bson-values.js';

/**
 * An action's run as stored: members that are as in a run that was never reached are absent, which
 * are most of them. Each write of a task writes all of its runs on the server's side.
 */
export interface RunDocument {
  readonly state: ActionRun['state'];
  readonly code?: number;
  readonly error?: string;
  readonly message?: string;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly attempts?: number;
  readonly refused?: number;
  readonly spent?: number;
  readonly crashes?: number;
  readonly dispatches?: number;
  readonly dueAt?: Date;
  /** Milliseconds since 1970, not always a moment of a calendar. */
  readonly orderAt?: number;
  readonly deadline?: Date;
  readonly look?: ActionRun['look'];
  readonly lease?: Lease;
  /** JSON text. */
  readonly output?: string;
  /** JSON text. */
  readonly values?: string;
}

/** Both halves of a step's run as stored. */
export interface StepRunsDocument {
  /** Absent: 1. */
  readonly generation?: number;
  readonly normal: RunDocument;
  readonly rollback: RunDocument | null;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Stored form of an action's run. */
export function runToDocument(run: ActionRun): RunDocument {
  const document: Writable<RunDocument> = { state: run.state };
  if (run.code !== 0) document.code = run.code;
  if (run.error !== null) document.error = toSafe(run.error);
  if (run.message !== null) document.message = toSafe(run.message);
  if (run.startedAt !== null) document.startedAt = toDate(run.startedAt);
  if (run.endedAt !== null) document.endedAt = toDate(run.endedAt);
  if (run.attempts !== 0) document.attempts = run.attempts;
  if (run.refused !== 0) document.refused = run.refused;
  if (run.spent !== 0) document.spent = run.spent;
  if (run.crashes !== 0) document.crashes = run.crashes;
  if (run.dispatches !== 0) document.dispatches = run.dispatches;
  if (run.dueAt !== null) document.dueAt = toDate(run.dueAt);
  if (run.orderAt !== null) document.orderAt = run.orderAt;
  if (run.deadline !== null) document.deadline = toDate(run.deadline);
  if (run.look !== 'none') document.look = run.look;
  if (run.lease !== null) document.lease = run.lease;
  if (run.output !== null) document.output = JSON.stringify(run.output);
  if (run.values !== null) document.values = JSON.stringify(run.values);
  return document;
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

/** The run behind its stored form, if any. Throws `DocumentFault`; `where` names it. */
export function documentToRunOrNull(document: RunDocument | null, where: string): ActionRun | null {
  return document === null ? null : documentToRun(document, where);
}

/** Runs that have not begun are known by identity, and are most of them. */
function documentToHalf(
  document: RunDocument,
  where: string,
  fresh: readonly ActionRun[],
): ActionRun {
  for (const member in document) if (member !== 'state') return documentToRun(document, where);
  const { state } = document;
  return fresh.find((run) => run.state === state) ?? documentToRun(document, where);
}

const FRESH_NORMAL = [PENDING_RUN];
const FRESH_ROLLBACK = [NOTHING_TO_UNDO, UNDO_PENDING];

function documentToRun(document: RunDocument, where: string): ActionRun {
  if (typeof document !== 'object') throw new DocumentFault(`${where} is not an object`);
  return {
    state: document.state,
    code: document.code ?? 0,
    error: fromSafeOrNull(document.error ?? null),
    message: fromSafeOrNull(document.message ?? null),
    startedAt: toMsOrNull(document.startedAt ?? null),
    endedAt: toMsOrNull(document.endedAt ?? null),
    attempts: document.attempts ?? 0,
    refused: document.refused ?? 0,
    spent: document.spent ?? 0,
    crashes: document.crashes ?? 0,
    dispatches: document.dispatches ?? 0,
    dueAt: toMsOrNull(document.dueAt ?? null),
    orderAt: document.orderAt ?? null,
    deadline: toMsOrNull(document.deadline ?? null),
    look: document.look ?? 'none',
    lease: document.lease ?? null,
    output: toJson(document.output ?? null, `${where}.output`),
    values: toJson(document.values ?? null, `${where}.values`),
  };
}

/** Both halves of a step behind their stored form. Throws `DocumentFault`. */
export function documentToRuns(
  { generation = 1, normal, rollback }: StepRunsDocument,
  step: number,
): StepRuns {
  const where = `runs[${step}]`;
  return {
    generation,
    normal: documentToHalf(normal, `${where}.normal`, FRESH_NORMAL),
    rollback:
      rollback === null ? null : documentToHalf(rollback, `${where}.rollback`, FRESH_ROLLBACK),
  };
}
