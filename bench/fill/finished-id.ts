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

/** SQL for the time and the id of copy `i` of a task. */
export interface CopySql {
  readonly at: string;
  readonly id: string;
}

/** The same as SQL, for the number in column `i`. */
export const FINISHED_SQL = copySqlAt(`(${FIRST_AT} + i * ${APART_MS})`);

/** Copies that were all created when their template was: what it waits for is as far away. */
export function copySqlOf(createdAt: number): CopySql {
  return copySqlAt(`(${createdAt} + 0)`);
}

function copySqlAt(at: string): CopySql {
  const time = `printf('%012x', ${at})`;
  const tail = "printf('%012x', i)";
  return {
    at,
    id: `(substr(${time}, 1, 8) || '-' || substr(${time}, 9, 4) || '-7000-8000-' || ${tail})`,
  };
}
