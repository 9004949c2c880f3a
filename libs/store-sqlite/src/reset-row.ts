import type { Edit, JsonObject, Task } from '#core';
import { fromTaskTime, toTaskTime } from './task-time.js';

/** The stored row of resets by persons; times are task times. */
export type ResetRow = readonly [resetAt: number | null, edits: readonly EditRow[]];

type EditRow = readonly [
  at: number,
  actor: string,
  values: JsonObject,
  before: JsonObject,
  unseenBy: readonly string[],
  winsIn: readonly string[],
];

const NEVER_RESET: ResetRow = [null, []];

/** A task's resets as a row; null: it was never reset. */
export function toResetRow({ edits, plan, resetAt }: Task): ResetRow | null {
  if (resetAt === null && edits.length === 0) return null;
  const { createdAt } = plan;
  const rows = edits.map(({ actor, at, before, unseenBy, values, winsIn }): EditRow => {
    return [at - createdAt, actor, values, before, unseenBy, winsIn];
  });
  return [toTaskTime(resetAt, createdAt), rows];
}

/** The resets that a row stands for. */
export function fromResetRow(
  row: ResetRow | null | undefined,
  createdAt: number,
): Pick<Task, 'resetAt' | 'edits'> {
  const [resetAt, edits] = row ?? NEVER_RESET;
  return {
    resetAt: fromTaskTime(resetAt, createdAt),
    edits: edits.map((edit) => fromEditRow(edit, createdAt)),
  };
}

function fromEditRow(row: EditRow, createdAt: number): Edit {
  const [at, actor, values, before, unseenBy, winsIn] = row;
  return { at: at + createdAt, actor, values, before, unseenBy, winsIn };
}
