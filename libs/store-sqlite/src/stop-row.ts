import type { Hold, Pause, Task } from '#core';
import { fromTaskTime, toTaskTime } from './task-time.js';

/** Why a task waits for a person; of a decision also who asked for it and until when. */
type HoldRow = Hold['why'] | readonly [why: Hold['why'], by: string | null, until: number | null];

/** The same; of a paused task also who paused it and when. Times are task times. */
export type StopRow =
  HoldRow | null | readonly [hold: HoldRow | null, at: number, by: string, reason: string];

/** The members of a task that keep it from starting anything. */
type Stop = Pick<Task, 'hold' | 'paused'>;

/** A stop as a row. */
export function toStopRow({ hold, paused, plan }: Stop & Pick<Task, 'plan'>): StopRow {
  const held = toHoldRow(hold, plan.createdAt);
  if (paused === null) return held;
  return [held, paused.at - plan.createdAt, paused.by, paused.reason];
}

/** The stop that a row stands for. */
export function fromStopRow(row: StopRow, createdAt: number): Stop {
  if (row === null || typeof row === 'string' || row.length === 3) {
    return { hold: fromHoldRow(row, createdAt), paused: null };
  }
  const [held, at, by, reason] = row;
  const paused: Pause = { at: at + createdAt, by, reason };
  return { hold: fromHoldRow(held, createdAt), paused };
}

function toHoldRow(hold: Hold | null, createdAt: number): HoldRow | null {
  if (hold === null) return null;
  const { by, until, why } = hold;
  return by === null && until === null ? why : [why, by, toTaskTime(until, createdAt)];
}

function fromHoldRow(row: HoldRow | null, createdAt: number): Hold | null {
  if (row === null) return null;
  if (typeof row === 'string') return { why: row, by: null, until: null };
  const [why, by, until] = row;
  return { why, by, until: fromTaskTime(until, createdAt) };
}
