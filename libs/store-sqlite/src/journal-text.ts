import type { JournalEntry } from '#core';
import { DocumentFault, readStoredJson } from '#core/json';
import { codecOf, ENTRY, JSON_ROWS } from '#core/stored';

const ENTRIES = codecOf(ENTRY, JSON_ROWS);

/**
 * Entries as JSON text without the brackets around them, each with a comma behind it: so a commit
 * appends to what is stored and does not read it.
 */
export function encodeEntries(
  entries: readonly JournalEntry[],
  { createdAt }: { readonly createdAt: number },
): string {
  if (entries.length === 0) return '';
  const rows = entries.map((entry) => ENTRIES.write(entry, createdAt));
  return `${JSON.stringify(rows).slice(1, -1)},`;
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
