import { DocumentFault, PENDING_RUN } from '#core';
import type { ActionRun, JsonObject } from '#core';
import { fromTaskTime } from './task-time.js';

/** Stands for an output that is kept beside. */
export const BESIDE = 1;

/** An output as a row has it. */
export type StoredOutput = JsonObject | typeof BESIDE;

/**
 * A run in its first attempt, or done with it, with nothing else to tell: nearly all are.
 * Every commit of a task writes those of all its steps, so they are short. Times are task times.
 */
export type PlainRow =
  | readonly [startedAt: number, endedAt: number, deadline: number]
  | readonly [startedAt: number, endedAt: number, deadline: number, output: StoredOutput]
  | readonly [startedAt: number, dueAt: number, deadline: number, owner: string, token: number];

/** The row of a plain run; null: it is none. `output` as `toRunRow` has it. */
export function toPlainRow(
  run: ActionRun,
  createdAt: number,
  output: StoredOutput | null,
): PlainRow | null {
  const { deadline, dueAt, endedAt, lease, startedAt, state } = run;
  if (startedAt === null || deadline === null || !isPlain(run)) return null;
  const [from, until] = [startedAt - createdAt, deadline - createdAt];
  if (state === 'succeeded' && endedAt !== null && dueAt === null && lease === null) {
    const to = endedAt - createdAt;
    return output === null ? [from, to, until] : [from, to, until, output];
  }
  if (state !== 'running' || endedAt !== null || dueAt === null || lease === null) return null;
  return output === null ? [from, dueAt - createdAt, until, lease.owner, lease.token] : null;
}

function isPlain(run: ActionRun): boolean {
  const isFirst = run.attempts === 1 && run.spent === 1 && run.dispatches === 1;
  const isSound = run.refused === 0 && run.crashes === 0 && run.look === 'none';
  if (!isFirst || !isSound || run.orderAt !== null || run.values !== null) return false;
  return run.code === 0 && run.error === null && run.message === null;
}

/** Whether a row is one of a plain run; others begin with a state. */
export function isPlainRow(row: readonly unknown[]): row is PlainRow {
  return typeof row[0] === 'number';
}

/** The run that a plain row stands for. Throws `DocumentFault`. */
export function fromPlainRow(
  row: PlainRow,
  createdAt: number,
  besideOutput: () => JsonObject,
): ActionRun {
  const [startedAt, second, deadline] = row;
  const [began, until] = [startedAt + createdAt, fromTaskTime(deadline, createdAt)];
  const first = { ...FIRST, startedAt: began, deadline: until };
  const at = fromTaskTime(second, createdAt);
  switch (row.length) {
    case 3:
      return { ...first, state: 'succeeded', endedAt: at };
    case 4: {
      const [, , , output] = row;
      const own = output === BESIDE ? besideOutput() : output;
      return { ...first, state: 'succeeded', endedAt: at, output: own };
    }
    case 5: {
      const [, , , owner, token] = row;
      return { ...first, state: 'running', dueAt: at, lease: { owner, token } };
    }
    default:
      throw new DocumentFault('a run has too few or too many members');
  }
}

const FIRST: ActionRun = { ...PENDING_RUN, attempts: 1, spent: 1, dispatches: 1 };
