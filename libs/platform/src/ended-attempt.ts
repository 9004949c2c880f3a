import type { ActionRun, JournalEntry, Task } from '#core';

/** An attempt of an action that has ended. */
interface EndedAttempt {
  /** Its action ended with it; otherwise another attempt follows. */
  readonly isOver: boolean;
  /** From the first start of its action until now, in milliseconds. */
  readonly durationMs: number;
}

/**
 * The end of the attempt that an entry is about. `run` is that of its action as stored; null:
 * the next try of its group stands in its place already, so that it has ended.
 */
export function endedAttempt(task: Task, entry: JournalEntry, run: ActionRun | null): EndedAttempt {
  const isGone = run === null && entry.run !== undefined;
  const isEnded = isGone || (run !== null && run.endedAt !== null);
  const startedAt = run === null ? startInJournal(task, entry) : run.startedAt;
  const durationMs = entry.at - (startedAt ?? entry.at);
  return { isOver: entry.kind === 'succeeded' || isEnded, durationMs };
}

/** First start of an action whose run is gone; null: the journal grew too long to tell. */
function startInJournal({ journal }: Task, { direction, run }: JournalEntry): number | null {
  const start = journal.entries().find((entry) => {
    return entry.kind === 'started' && entry.run === run && entry.direction === direction;
  });
  return start?.at ?? null;
}

/** The names in a run's id: of `group~2#1/step~3` it is `group/step`. */
export function pathOf(run: string): string {
  return run.replaceAll(/[~#][^/]*/g, '');
}
