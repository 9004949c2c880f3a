import type { Direction, JournalEntry, JournalKind } from '#core';

/** An entry as JSON: `at` is a task time, and null stands for what is not there. */
type EntryRow = readonly [
  seq: number,
  at: number,
  kind: JournalKind,
  step?: string | null,
  direction?: Direction | null,
  attempt?: number | null,
  actor?: string | null,
  message?: string | null,
];

/**
 * Entries from a position on, as JSON text without the brackets around them, each with a comma
 * behind it: so a commit appends to what is stored and does not read it.
 */
export function encodeEntries(
  entries: readonly JournalEntry[],
  { createdAt, from = 0 }: { readonly createdAt: number; readonly from?: number },
): string {
  let text = '';
  for (let position = from; position < entries.length; position += 1) {
    text += `${JSON.stringify(toEntryRow(entries[position]!, createdAt))},`;
  }
  return text;
}

/**
 * The stored entries from number `fromSeq` on; the ones before were dropped since they were
 * written.
 */
export function decodeEntries(
  text: string,
  { createdAt, fromSeq }: { readonly createdAt: number; readonly fromSeq: number },
): readonly JournalEntry[] {
  const rows = JSON.parse(`[${text.slice(0, -1)}]`) as readonly EntryRow[];
  return rows.filter(([seq]) => seq >= fromSeq).map((row) => fromEntryRow(row, createdAt));
}

/** Position of the first entry that `journal` has and a journal up to `seq` has not. */
export function firstAfter(journal: readonly JournalEntry[], seq: number): number {
  let position = journal.length;
  while (position > 0 && journal[position - 1]!.seq > seq) position -= 1;
  return position;
}

function toEntryRow(entry: JournalEntry, createdAt: number): EntryRow {
  const { seq, kind, step = null, direction = null, attempt = null } = entry;
  const { actor = null, message = null } = entry;
  const at = entry.at - createdAt;
  if (actor !== null || message !== null) {
    return [seq, at, kind, step, direction, attempt, actor, message];
  }
  if (step === null && direction === null && attempt === null) return [seq, at, kind];
  return [seq, at, kind, step, direction, attempt];
}

function fromEntryRow(row: EntryRow, createdAt: number): JournalEntry {
  const [seq, at, kind, step, direction, attempt, actor, message] = row;
  return {
    seq,
    at: at + createdAt,
    kind,
    ...(isThere(step) && { step }),
    ...(isThere(direction) && { direction }),
    ...(isThere(attempt) && { attempt }),
    ...(isThere(actor) && { actor }),
    ...(isThere(message) && { message }),
  };
}

function isThere<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
