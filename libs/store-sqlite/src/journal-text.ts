import type { JournalEntry, Task } from '#core';
import { DocumentFault, readStoredJson } from '#core/json';
import { ENTRY, rowsOf } from '#core/stored';
import { COMMIT_SETS } from './commit-sets.js';
import type { KnownTask } from './task-cache.js';

const ENTRIES = rowsOf(ENTRY);

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

/**
 * Entries as JSON text without the brackets around them, each with a comma behind it: so a commit
 * appends to what is stored and does not read it.
 */
function encodeEntries(
  entries: readonly JournalEntry[],
  { createdAt }: { readonly createdAt: number },
): string {
  let text = '';
  for (const entry of entries) text += `${ENTRIES.write(entry, createdAt)},`;
  return text;
}

/** The stored form of a journal: older entries in segments, the newest in the task's row. */
interface JournalSource {
  readonly tail: string;
  readonly segments: readonly unknown[];
  readonly createdAt: number;
  /** Number of the first entry that was not dropped since it was written. */
  readonly fromSeq: number;
}

/** A journal that was read, with what spares the next commit some work. */
interface DecodedJournal {
  readonly journal: readonly JournalEntry[];
  readonly journalStored: number;
  readonly journalTail: number;
}

/** The entries that are stored and were not dropped. Throws `DocumentFault`. */
export function decodeJournal(source: JournalSource): DecodedJournal {
  const { createdAt, fromSeq, segments, tail } = source;
  const newest = readEntries(tail);
  const rows = segments.length === 0 ? newest : segments.flatMap(readEntries).concat(newest);
  const entries = rows.map((row) => ENTRIES.read(row, createdAt));
  const journal = entries.filter((entry) => !(entry?.seq < fromSeq));
  return { journal, journalStored: rows.length, journalTail: newest.length };
}

function readEntries(text: unknown): readonly unknown[] {
  if (typeof text !== 'string') throw new DocumentFault('a part of its journal is missing');
  return readStoredJson(`[${text.slice(0, -1)}]`, 'its journal') as readonly unknown[];
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
