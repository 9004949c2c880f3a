import { DocumentFault, FRESH_RUNS, NOTHING_TO_UNDO, PENDING_RUN } from '#core';
import type { ActionRun, JsonObject, RunState } from '#core';
import {
  BESIDE,
  fromPlainRow,
  isPlainRow,
  type PlainRow,
  type StoredOutput,
  toPlainRow,
} from './plain-run.js';
import { fromTaskTime, toTaskTime } from './task-time.js';

/**
 * A run longer than this keeps its output beside the task's row, where later commits do not rewrite
 * it.
 */
export const RUN_TEXT_MAX = 1_024;

/** Positions of what most runs have no need of: refused and lost attempts, the order time. */
const REFUSED_AT = 13;
const CRASHES_AT = 14;
const ORDER_AT = 15;
/** The same: what its error is called, and the values of its templates. */
const ERROR_AT = 16;
const VALUES_AT = 17;

/** A run as JSON: times are task times. */
export type RunRow = 'pending' | 'none' | PlainRow | WholeRow;

/** A run with all of its members. */
type WholeRow = [
  state: RunState,
  code: number,
  message: string | null,
  startedAt: number | null,
  endedAt: number | null,
  attempts: number,
  spent: number,
  dispatches: number,
  dueAt: number | null,
  deadline: number | null,
  look: ActionRun['look'],
  lease: readonly [owner: string, token: number] | 0,
  output: StoredOutput | null,
  /** Absent: 0. */
  refused?: number,
  /** Absent: 0. */
  crashes?: number,
  /** Absent or null: it is not queued. */
  orderAt?: number | null,
  /** Absent: null. */
  error?: string | null,
  /** Absent: null. */
  values?: JsonObject | null,
];

/** The values that a run is encoded and decoded with. */
interface RunContext {
  /** When the task was created. */
  readonly createdAt: number;
  /** The output that is kept beside. */
  readonly besideOutput: () => JsonObject;
}

/**
 * The stored row of a run, with its output in it or, where `isSlim`, a mark that it is kept beside.
 */
export function toRunRow(run: ActionRun, createdAt: number, isSlim = false): RunRow {
  if (FRESH_RUNS.has(run)) return run.state === 'none' ? 'none' : 'pending';
  const output = isSlim ? BESIDE : run.output;
  return toPlainRow(run, createdAt, output) ?? toWholeRow(run, createdAt, output);
}

function toWholeRow(run: ActionRun, createdAt: number, output: StoredOutput | null): WholeRow {
  const { lease } = run;
  const row: WholeRow = [
    run.state,
    run.code,
    run.message,
    toTaskTime(run.startedAt, createdAt),
    toTaskTime(run.endedAt, createdAt),
    run.attempts,
    run.spent,
    run.dispatches,
    toTaskTime(run.dueAt, createdAt),
    toTaskTime(run.deadline, createdAt),
    run.look,
    lease === null ? 0 : [lease.owner, lease.token],
    output,
  ];
  const hasMore = run.error !== null || run.values !== null;
  const isQueued = run.orderAt !== null || hasMore;
  if (run.refused > 0 || run.crashes > 0 || isQueued) row[REFUSED_AT] = run.refused;
  if (run.crashes > 0 || isQueued) row[CRASHES_AT] = run.crashes;
  if (run.orderAt !== null) row[ORDER_AT] = run.orderAt - createdAt;
  if (!hasMore) return row;
  row[ORDER_AT] ??= null;
  row[ERROR_AT] = run.error;
  row[VALUES_AT] = run.values;
  return row;
}

/** The run that a row stands for. */
export function fromRunRow(row: RunRow, { createdAt, besideOutput }: RunContext): ActionRun {
  if (row === 'pending') return PENDING_RUN;
  if (row === 'none') return NOTHING_TO_UNDO;
  if (!Array.isArray(row)) throw new DocumentFault('a run is not a list');
  const list: PlainRow | WholeRow = row;
  if (isPlainRow(list)) return fromPlainRow(list, createdAt, besideOutput);
  const [state, code, message, startedAt, endedAt, attempts, spent, dispatches, ...more] = list;
  const [dueAt, deadline, look, lease, output, refused = 0, crashes = 0, ...last] = more;
  const [orderAt = null, error = null, values = null] = last;
  return {
    state,
    code,
    error,
    message,
    startedAt: fromTaskTime(startedAt, createdAt),
    endedAt: fromTaskTime(endedAt, createdAt),
    attempts,
    refused,
    spent,
    crashes,
    dispatches,
    dueAt: fromTaskTime(dueAt, createdAt),
    orderAt: fromTaskTime(orderAt, createdAt),
    deadline: fromTaskTime(deadline, createdAt),
    look,
    lease: lease === 0 ? null : { owner: lease[0], token: lease[1] },
    output: output === BESIDE ? besideOutput() : output,
    values,
  };
}
