import { type LockTicket, type NamedLock, NO_LOCKS } from '#core';
import { fromTaskTime, toTaskTime } from './task-time.js';

/** A ticket of a task; times are task times. */
export type LockRow = readonly [
  number: number,
  step: number | null,
  run: string | null,
  locks: readonly (readonly [name: string, slots: number])[] | null,
  since: number,
  heldAt: number | null,
  looks: number,
  dueAt: number | null,
];

/** The stored rows of tickets. */
export function toLockRows(locks: readonly LockTicket[], createdAt: number): readonly LockRow[] {
  return locks.map((ticket): LockRow => {
    const { dueAt, heldAt, locks: named, looks, number, run, since, step } = ticket;
    const names = named?.map(({ name, slots }) => [name, slots] as const) ?? null;
    const times = [toTaskTime(heldAt, createdAt), looks, toTaskTime(dueAt, createdAt)] as const;
    return [number, step, run, names, since - createdAt, ...times];
  });
}

/** The tickets that rows stand for. */
export function fromLockRows(
  rows: readonly LockRow[] | undefined,
  createdAt: number,
): readonly LockTicket[] {
  if (rows === undefined || rows.length === 0) return NO_LOCKS;
  return rows.map(([number, step, run, names, since, heldAt, looks, dueAt]) => ({
    number,
    step,
    run,
    locks: names?.map(([name, slots]): NamedLock => ({ name, slots })) ?? null,
    since: since + createdAt,
    heldAt: fromTaskTime(heldAt, createdAt),
    looks,
    dueAt: fromTaskTime(dueAt, createdAt),
  }));
}
