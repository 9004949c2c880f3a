import { DocumentFault, NOTHING_TO_UNDO, PENDING_RUN, UNDO_PENDING } from '#core';
import type { ActionRun, JsonObject, RunState } from '#core';
import { moreText, numberText, timeText, valueText } from './json-text.js';
import { fromTaskTime } from './task-time.js';

/**
 * A run longer than this keeps its output beside the task's row, where later commits do not rewrite
 * it.
 */
export const RUN_TEXT_MAX = 1_024;

/** Stands for an output that is kept beside. */
const BESIDE = 1;

/** Runs that have not begun are these very objects; all that is stored of them is their state. */
const FRESH: ReadonlySet<ActionRun> = new Set([PENDING_RUN, UNDO_PENDING, NOTHING_TO_UNDO]);

/** A run as JSON: times are task times. */
export type RunRow =
  | 'pending'
  | 'none'
  | [
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
      output: JsonObject | typeof BESIDE | null,
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
 * The JSON text of a run's row, with its output in it or, where `isSlim`, a mark that it is kept
 * beside.
 */
export function runText(run: ActionRun, createdAt: number, isSlim = false): string {
  if (FRESH.has(run)) return run.state === 'none' ? '"none"' : '"pending"';
  const { lease } = run;
  const holder = lease === null ? '0' : `[${valueText(lease.owner)},${lease.token}]`;
  const output = isSlim ? `${BESIDE}` : valueText(run.output);
  return (
    `["${run.state}",${run.code},${valueText(run.message)},${timeText(run.startedAt, createdAt)},` +
    `${timeText(run.endedAt, createdAt)},${run.attempts},${numberText(run.spent)},` +
    `${run.dispatches},${timeText(run.dueAt, createdAt)},${timeText(run.deadline, createdAt)},` +
    `"${run.look}",${holder},${output}${moreOfRun(run, createdAt)}]`
  );
}

/** Members that most runs have no need of: refused and lost attempts, order, error, values. */
function moreOfRun(run: ActionRun, createdAt: number): string {
  const { crashes, error, orderAt, refused, values } = run;
  if (error !== null || values !== null) {
    const order = orderAt === null ? null : orderAt - createdAt;
    return moreText([refused, crashes, order, error, values]);
  }
  if (orderAt !== null) return moreText([refused, crashes, orderAt - createdAt]);
  if (crashes > 0) return moreText([refused, crashes]);
  return refused > 0 ? moreText([refused]) : '';
}

/** The run that a row stands for. */
export function fromRunRow(row: RunRow, { createdAt, besideOutput }: RunContext): ActionRun {
  if (row === 'pending') return PENDING_RUN;
  if (row === 'none') return NOTHING_TO_UNDO;
  if (!Array.isArray(row)) throw new DocumentFault('a run is not a list');
  const [state, code, message, startedAt, endedAt, attempts, spent, dispatches, ...more] = row;
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
