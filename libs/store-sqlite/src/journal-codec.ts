import type { Direction, JournalEntry, JournalKind } from '#core';
import { number } from './run-codec.js';

type EntryRow = readonly [
  seq: number,
  at: number,
  kind: JournalKind,
  step?: string | 0,
  direction?: Direction | 0,
  attempt?: number | null,
  actor?: string | 0,
  message?: string | 0,
];

/**
 * Entries as JSON text without the brackets around them, each with a comma behind it: so a commit appends to what is
 * stored and does not read it.
 */
export function encodeEntries(entries: readonly JournalEntry[], from = 0): string {
  let text = '';
  for (let n = from; n < entries.length; n += 1) text += `${encodeEntry(entries[n]!)},`;
  return text;
}

/** The stored entries from number `fromSeq` on; the ones before were dropped since they were written. */
export function decodeEntries(text: string, fromSeq: number): readonly JournalEntry[] {
  if (text === '') return [];
  const rows = JSON.parse(`[${text.slice(0, -1)}]`) as readonly EntryRow[];
  return rows.filter(([seq]) => seq >= fromSeq).map(decodeEntry);
}

/** Position of the first entry that `journal` has and a journal up to `seq` has not. */
export function firstAfter(journal: readonly JournalEntry[], seq: number): number {
  let position = journal.length;
  while (position > 0 && journal[position - 1]!.seq > seq) position -= 1;
  return position;
}

function encodeEntry(entry: JournalEntry): string {
  const { seq, at, kind, step, direction, attempt, actor, message } = entry;
  const head = `[${seq},${number(at)},"${kind}"`;
  if (actor === undefined && message === undefined) {
    if (step === undefined && direction === undefined && attempt === undefined) return `${head}]`;
    return `${head},${text(step)},${text(direction)},${number(attempt ?? null)}]`;
  }
  const about = `${text(step)},${text(direction)},${number(attempt ?? null)}`;
  return `${head},${about},${text(actor)},${text(message)}]`;
}

/** 0 stands for no text at all: null would be another text's absence to a reader of the file. */
function text(value: string | undefined): string {
  return value === undefined ? '0' : JSON.stringify(value);
}

function decodeEntry(row: EntryRow): JournalEntry {
  const [seq, at, kind, step = 0, direction = 0, attempt = null, actor = 0, message = 0] = row;
  return {
    seq,
    at,
    kind,
    ...(step !== 0 && { step }),
    ...(direction !== 0 && { direction }),
    ...(attempt !== null && { attempt }),
    ...(actor !== 0 && { actor }),
    ...(message !== 0 && { message }),
  };
}
