/** Times between two finished tasks, in milliseconds. */
const APART_MS = 10;
/** When the first of them was created: long before any task that is measured. */
const FIRST_AT = Date.UTC(2025, 0, 1);

/** When finished task `n` was created, in milliseconds since 1970. */
export function finishedAt(n: number): number {
  return FIRST_AT + n * APART_MS;
}

/** Its id: as ids grow with time, new tasks come behind all of these. */
export function finishedId(n: number): string {
  const time = finishedAt(n).toString(16).padStart(12, '0');
  const tail = n.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
}

/** The same as SQL, for the number in column `i`. */
export const FINISHED_SQL = {
  at: `(${FIRST_AT} + i * ${APART_MS})`,
  id: `(substr(printf('%012x', ${FIRST_AT} + i * ${APART_MS}), 1, 8) || '-' ||
    substr(printf('%012x', ${FIRST_AT} + i * ${APART_MS}), 9, 4) ||
    '-7000-8000-' || printf('%012x', i))`,
} as const;
