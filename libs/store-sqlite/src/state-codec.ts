import { DocumentFault, readStoredJson, readList, storedAlert } from '#core';
import type { Alert, JsonObject, StepPlan, Task, TaskOutcome } from '#core';
import { type FailureRow, fromFailureRow, toFailureRow } from './failure-row.js';
import { fromLockRows, type LockRow, toLockRows } from './lock-row.js';
import type { JournalChange } from './journal-change.js';
import { type Beside, PLACE } from './places.js';
import { fromResetRow, type ResetRow, toResetRow } from './reset-row.js';
import { decodeRuns, encodeRuns, INLINE_MAX } from './runs-text.js';
import type { Fragments, RunsBase, RunsPlace, StepRow } from './runs-text.js';
import { decodeScopes, encodeScopes, type ScopesBase } from './scopes-codec.js';
import { fromStopRow, type StopRow, toStopRow } from './stop-row.js';
import { fromTaskTime, toTaskTime } from './task-time.js';
import { fromTurnRow, toTurnRow, type TurnRow } from './turn-row.js';

/** Format of the state text; a reader refuses one that it does not know. */
export const STATE_FORMAT = 2;

/** The part of a task's state before its runs. */
type HeadRow = readonly [
  format: number,
  message: string | null,
  cursor: number,
  startedAt: number | null,
  endedAt: number | null,
  token: number,
  turned: TurnRow | null,
  stop: StopRow,
  outcome: TaskOutcome | null,
  alert: Alert | null,
  /** Was that of the alert in an older form. */
  alertStep: null,
  doneActions: readonly (readonly [key: string | null, action: string, at: number])[],
  journalFrom: number,
  journalSeq: number,
  /** Segments of the journal beside the row. Absent: none. */
  segments?: number,
  /** Where the runs of a long task are. Absent or null: all runs are in the row. */
  reached?: number | null,
  warm?: number | null,
  /** How many scopes stand beside the row. Absent or 0: none. */
  scopes?: number,
  /** Absent or null: it was never reset. */
  resets?: ResetRow | null,
  /** Signals that nothing has waited for. Absent: none. */
  signals?: readonly (readonly [name: string, payload: JsonObject])[],
  /** Locks that it holds or waits for. Absent: none. */
  locks?: readonly LockRow[],
  /** How its failure flow is started. Absent or null: it is not. */
  failure?: FailureRow | null,
  /** Some of its values may be sealed. Absent: none. */
  hasSecrets?: true,
];

/** A task's changing half as text. */
interface EncodedState extends RunsPlace {
  readonly state: string;
  readonly fragments: Fragments;
  /** How many scopes stand each in a text of its own. */
  readonly apart: number;
  /** Texts beside the row that are new or have changed; null: none. */
  readonly beside: Beside | null;
}

/**
 * Everything of a task that a commit may change but revision, status, wakeAt and the journal's
 * newest entries.
 */
export function encodeState(
  task: Task,
  base: (RunsBase & ScopesBase) | null,
  { closed, segments }: JournalChange,
): EncodedState {
  const beside: [number, string][] = [];
  const { fragments, inline, reached, warm } = encodeRuns(task, base, beside);
  const apart = encodeScopes(task, base, beside);
  if (closed !== null) beside.push([PLACE.journal + segments - 1, closed]);
  const head = JSON.stringify(toHeadRow(task, { segments, reached, warm }));
  const state = inline === '' ? `[${head}]` : `[${head},${inline}]`;
  return { state, fragments, reached, warm, apart, beside: beside.length === 0 ? null : beside };
}

function toHeadRow(
  task: Task,
  { reached, segments, warm }: RunsPlace & { readonly segments: number },
): HeadRow {
  const { alert, doneActions, journalSeq, turned } = task;
  const { createdAt } = task.plan;
  const head: Mutable<HeadRow> = [
    STATE_FORMAT,
    task.message,
    task.cursor,
    toTaskTime(task.startedAt, createdAt),
    toTaskTime(task.endedAt, createdAt),
    task.token,
    toTurnRow(turned, createdAt),
    toStopRow(task),
    task.outcome,
    alert,
    null,
    doneActions.map(({ key, action, at }) => [key, action, at - createdAt] as const),
    task.journal.at(0)?.seq ?? journalSeq + 1,
    journalSeq,
  ];
  const isLong = task.runs.length > INLINE_MAX;
  const { length: scopes } = task.scopes;
  const resets = toResetRow(task);
  const failure = toFailureRow(task);
  const hasFailure = failure !== null || task.hasSecrets;
  const hasLocks = task.locks.length > 0 || hasFailure;
  const hasSignals = task.signals.length > 0 || hasLocks;
  const hasMore = scopes > 0 || resets !== null || hasSignals;
  if (isLong || segments > 0 || hasMore) head.push(segments);
  if (isLong) head.push(reached, warm);
  else if (hasMore) head.push(null, null);
  if (hasMore) head.push(scopes);
  if (resets !== null || hasSignals) head.push(resets);
  if (hasSignals) head.push(task.signals.map(({ name, payload }) => [name, payload] as const));
  if (hasLocks) head.push(toLockRows(task.locks, createdAt));
  if (hasFailure) head.push(failure);
  if (task.hasSecrets) head.push(true);
  return head;
}

const NO_SIGNALS: Task['signals'] = Object.freeze([]);

type Mutable<T> = { -readonly [M in keyof T]: T[M] };

/** The members of a task that the state text gives. */
type DecodedState = Omit<Task, 'plan' | 'revision' | 'status' | 'wakeAt' | 'journal' | 'index'> &
  RunsPlace & {
    /** Number of the first journal entry that belongs to the task. */
    readonly journalFrom: number;
    /** Segments of the journal beside the row. */
    readonly segments: number;
    /** How many scopes stand each in a text of its own. */
    readonly apart: number;
  };

/** Where a task's state comes from. */
interface StateSource {
  readonly text: string;
  readonly beside: ReadonlyMap<number, unknown>;
  readonly createdAt: number;
  readonly steps: readonly StepPlan[];
}

/** The state that a text stands for. Throws `DocumentFault`, or whatever its parts throw. */
export function decodeState({ beside, createdAt, steps, text }: StateSource): DecodedState {
  const rows = readList(readStoredJson(text, 'its state') as readonly unknown[], 'its state');
  const [head, ...inline] = rows as unknown as readonly [HeadRow, ...StepRow[]];
  const [format, message, cursor, startedAt, endedAt, token, ...more] = head;
  if (format !== STATE_FORMAT) {
    throw new DocumentFault(`its state has the unknown format ${format}`);
  }
  const [turned, stop, outcome, alert, , doneActions, journalFrom, ...last] = more;
  const [journalSeq, segments = 0, reached = null, warm, count = 0, ...rare] = last;
  const [resets, signals, locks, failure, hasSecrets = false] = rare;
  const place = reached === null ? null : { reached, warm: warm ?? -1 };
  const { apart, scopes } = decodeScopes(beside, count, createdAt);
  return {
    message,
    cursor,
    startedAt: fromTaskTime(startedAt, createdAt),
    endedAt: fromTaskTime(endedAt, createdAt),
    ...fromResetRow(resets, createdAt),
    token,
    way: turned === null ? 'forward' : 'back',
    turned: fromTurnRow(turned, createdAt),
    ...fromStopRow(stop, createdAt),
    outcome,
    alert: storedAlert(alert),
    doneActions: doneActions.map(([key, action, at]) => ({ key, action, at: at + createdAt })),
    signals: signals?.map(([name, payload]) => ({ name, payload })) ?? NO_SIGNALS,
    locks: fromLockRows(locks, createdAt),
    failureTask: fromFailureRow(failure, createdAt),
    hasSecrets,
    journalFrom,
    journalSeq,
    segments,
    reached: place?.reached ?? -1,
    warm: place?.warm ?? -1,
    runs: decodeRuns({ beside, createdAt, inline, place, scopes, steps }),
    scopes,
    apart,
  };
}

/**
 * The beginning of a state text as far as lists show it, as JSON of its own; undefined: the text
 * ends before, or is none.
 */
export function cutStateHead(text: string): string | undefined {
  const found = STATE_HEAD.exec(text)?.[0];
  return found === undefined ? undefined : `${found.slice(1, -1)}]`;
}

/** Format, message, cursor, start and end: what is written first. */
const STATE_HEAD = /^\[\[\d+,(?:null|"(?:[^"\\]|\\.)*")(?:,(?:null|-?[\d.e+]+)){3},/;
