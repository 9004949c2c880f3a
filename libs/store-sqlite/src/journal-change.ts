import type { Task } from '#core';
import { encodeEntries } from './journal-text.js';
import { COMMIT_SETS } from './commit-sets.js';
import type { KnownTask } from './task-cache.js';

/** Most entries in a task's row, which every commit with an entry writes again. */
const TAIL_MAX = 40;

/** A journal is written again when this many entries more are stored than the task has. */
const DROPPED_MAX = 1_000;

/** A commit's write to a journal, and the counts of the journal's stored entries after it. */
export interface JournalChange {
  /** Entries to append to the row's, or what the row has from now on. */
  readonly text: string;
  /** The member of `COMMIT_SETS` that says which of both; 0: to append. */
  readonly sets: number;
  /** The text of a segment that is full now, or of all entries; null: none. */
  readonly closed: string | null;
  readonly segments: number;
  readonly tail: number;
  readonly stored: number;
}

/** A journal that nothing is stored of so far. */
export function wholeJournal({ journal, plan: { createdAt } }: Task): JournalChange {
  const text = encodeEntries(journal.entries(), { createdAt });
  const { length } = journal;
  return length <= TAIL_MAX
    ? {
        text,
        sets: COMMIT_SETS.wholeJournal,
        closed: null,
        segments: 0,
        tail: length,
        stored: length,
      }
    : {
        text: '',
        sets: COMMIT_SETS.wholeJournal,
        closed: text,
        segments: 1,
        tail: 0,
        stored: length,
      };
}

/**
 * New entries are appended to the row's; when these are too many, they become a segment, which is
 * not written again. Entries that the task has dropped at the start stay where they are until they
 * are too many. A reader tells them by the first entry; entries dropped elsewhere would come back.
 */
export function journalChange(previous: Task, next: Task, base: KnownTask | null): JournalChange {
  if (base === null) return wholeJournal(next);
  const { journal } = next;
  const { createdAt } = next.plan;
  const added = journal.after(previous.journalSeq);
  const from = journal.length - added.length;
  const stored = base.journalStored + added.length;
  const isTail = from === 0 || previous.journal.at(-from)?.seq === journal.at(0)?.seq;
  if (!isTail || stored > journal.length + DROPPED_MAX) return wholeJournal(next);
  const tail = base.journalTail + added.length;
  const { segments } = base;
  if (tail <= TAIL_MAX) {
    const text = encodeEntries(added, { createdAt });
    return { text, sets: 0, closed: null, segments, tail, stored };
  }
  const start = Math.max(0, journal.length - tail);
  return {
    text: '',
    sets: COMMIT_SETS.wholeJournal,
    closed: encodeEntries(journal.entries().slice(start), { createdAt }),
    segments: segments + 1,
    tail: 0,
    stored: stored - tail + journal.length - start,
  };
}
