import type { Cause, Turn } from '#core';

/** Why and when something turned; what has none goes forward. `at` is a task time. */
export type TurnRow = readonly [
  at: number,
  why: Turn['why'],
  message: string,
  /** Absent or null: all of it. */
  to?: number | null,
  /** Absent: nobody. */
  by?: string | null,
  /** Absent or null: no step failed. */
  cause?: Cause | null,
  /** Absent: none of its child tasks stay. */
  children?: Turn['children'],
];

/** The stored row of a turn. */
export function toTurnRow(turned: Turn | null, createdAt: number): TurnRow | null {
  if (turned === null) return null;
  const { at, by, cause, children, message, to, why } = turned;
  if (children !== undefined) return [at - createdAt, why, message, to, by, cause, children];
  if (cause !== null) return [at - createdAt, why, message, to, by, cause];
  if (by !== null) return [at - createdAt, why, message, to, by];
  return to === null ? [at - createdAt, why, message] : [at - createdAt, why, message, to];
}

/** The turn that a row stands for. */
export function fromTurnRow(row: TurnRow | null, createdAt: number): Turn | null {
  if (row === null) return null;
  const [at, why, message, to = null, by = null, cause = null, children] = row;
  const turned = { at: at + createdAt, why, message, cause, to, by };
  return children === undefined ? turned : { ...turned, children };
}
