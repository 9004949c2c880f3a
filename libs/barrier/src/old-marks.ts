import type { Awaitable } from '#ports';

/** Marks that are read at a time. */
export const OLD_MARKS = 500;

/** A mark that nobody has touched for long, and its position among the others. */
export interface OldMark {
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly touchedAt: number;
  /** Tells marks of one moment apart, and orders them. */
  readonly key: string;
}

/** Before all marks. */
const START: OldMark = { taskId: '', touchedAt: -1, key: '' };

/**
 * Ids of the tasks of old marks, in batches. `read` gives the next `OLD_MARKS` marks behind one, by
 * moment and key.
 */
export async function* tasksOfMarks(
  read: (behind: OldMark) => Awaitable<readonly OldMark[]>,
): AsyncGenerator<readonly string[]> {
  let behind: OldMark | undefined = START;
  while (behind !== undefined) {
    const marks: readonly OldMark[] = await read(behind);
    if (marks.length > 0) yield [...new Set(marks.map(({ taskId }) => taskId))];
    behind = marks.length < OLD_MARKS ? undefined : marks.at(-1);
  }
}
