import type { JournalEntry, Task } from '#core';

/** The parts of a task that tell which entries of its journal are new. */
type Journalled = Pick<Task, 'journal' | 'journalSeq'>;

/** The entries of one commit. A journal may be thinned in the middle by the same commit. */
export function newEntries(task: Journalled, before: Journalled | null): readonly JournalEntry[] {
  const { journal, journalSeq } = task;
  return journal.entries().slice(journal.length - (journalSeq - (before?.journalSeq ?? 0)));
}
