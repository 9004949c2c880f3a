import { DocumentFault, readStoredJson } from '#core';
import type { Direction, FailureName, JournalEntry, JournalKind } from '#core';

/** An entry as JSON: times are task times. */
type EntryRow = PlainEntryRow | WholeEntryRow;

/** Numbers of what is told of nearly every step: its first attempt began, or was its last. */
const PLAIN = { succeeded: 0, started: 1 } as const;

/**
 * The first attempt of a normal action began, or has succeeded, and nothing else is to be told. A
 * chain of steps has no other entries but its first and its last.
 */
type PlainEntryRow =
  | readonly [seq: number, at: number, kind: typeof PLAIN.succeeded, step: string]
  | readonly [seq: number, at: number, kind: typeof PLAIN.started, step: string, actor: string];

/** Null stands for what is not there. */
type WholeEntryRow = readonly [
  seq: number,
  at: number,
  kind: JournalKind,
  step?: string | null,
  direction?: Direction | null,
  attempt?: number | null,
  actor?: string | null,
  message?: string | null,
  code?: FailureName | null,
  dueAt?: number | null,
  refused?: true | null,
  run?: string | null,
  unapproved?: true | null,
  stack?: string | null,
  intended?: true,
];

/**
 * Entries as JSON text without the brackets around them, each with a comma behind it: so a commit
 * appends to what is stored and does not read it.
 */
export function encodeEntries(
  entries: readonly JournalEntry[],
  { createdAt }: { readonly createdAt: number },
): string {
  if (entries.length === 0) return '';
  const rows = entries.map((entry) => toEntryRow(entry, createdAt));
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
  const kept = rows.filter(([seq]) => seq >= fromSeq);
  const journal = kept.map((row) => fromEntryRow(row, createdAt));
  return { journal, journalStored: rows.length, journalTail: newest.length };
}

function readEntries(text: unknown): readonly EntryRow[] {
  if (typeof text !== 'string') throw new DocumentFault('a part of its journal is missing');
  return readStoredJson(`[${text.slice(0, -1)}]`, 'its journal') as readonly EntryRow[];
}

function toEntryRow(entry: JournalEntry, createdAt: number): EntryRow {
  return toPlainRow(entry, createdAt) ?? toWholeRow(entry, createdAt);
}

/** Null: more is to be told of it. */
function toPlainRow(entry: JournalEntry, createdAt: number): PlainEntryRow | null {
  const { actor, attempt, direction, kind, seq, step } = entry;
  if (direction !== 'normal' || attempt !== 1 || step === undefined) return null;
  if (entry.run !== undefined || entry.message !== undefined || entry.code !== undefined)
    return null;
  if (entry.dueAt !== undefined || entry.refused !== undefined) return null;
  if (entry.unapproved !== undefined || entry.stack !== undefined) return null;
  if (entry.intended !== undefined) return null;
  const at = entry.at - createdAt;
  if (kind === 'started' && actor !== undefined) return [seq, at, PLAIN.started, step, actor];
  return kind === 'succeeded' && actor === undefined ? [seq, at, PLAIN.succeeded, step] : null;
}

function toWholeRow(entry: JournalEntry, createdAt: number): WholeEntryRow {
  const { seq, kind, step = null, direction = null, attempt = null } = entry;
  const { actor = null, message = null, code = null } = entry;
  const at = entry.at - createdAt;
  const dueAt = entry.dueAt === undefined ? null : entry.dueAt - createdAt;
  const { intended, refused = null, run = null, stack = null } = entry;
  if (stack !== null || intended === true) {
    const row = [seq, at, kind, step, direction, attempt, actor, message, code, dueAt] as const;
    const whole = [...row, refused, run, entry.unapproved ?? null, stack] as const;
    return intended === true ? [...whole, true] : whole;
  }
  if (run !== null || entry.unapproved === true) {
    const row = [seq, at, kind, step, direction, attempt, actor, message, code, dueAt] as const;
    return entry.unapproved === true ? [...row, refused, run, true] : [...row, refused, run];
  }
  if (refused === true)
    return [seq, at, kind, step, direction, attempt, actor, message, code, dueAt, true];
  if (code !== null || dueAt !== null)
    return [seq, at, kind, step, direction, attempt, actor, message, code, dueAt];
  if (actor !== null || message !== null) {
    return [seq, at, kind, step, direction, attempt, actor, message];
  }
  if (step === null && direction === null && attempt === null) return [seq, at, kind];
  return [seq, at, kind, step, direction, attempt];
}

function fromEntryRow(row: EntryRow, createdAt: number): JournalEntry {
  return isPlain(row) ? fromPlainRow(row, createdAt) : fromWholeRow(row, createdAt);
}

function isPlain(row: EntryRow): row is PlainEntryRow {
  return typeof row[2] === 'number';
}

function fromPlainRow(row: PlainEntryRow, createdAt: number): JournalEntry {
  const [seq, time, kind, step] = row;
  const shared = { seq, at: time + createdAt, step, direction: 'normal', attempt: 1 } as const;
  switch (kind) {
    case PLAIN.succeeded:
      return { ...shared, kind: 'succeeded' };
    case PLAIN.started:
      return { ...shared, kind: 'started', actor: row[4] };
    default:
      throw new DocumentFault('an entry of its journal has an unknown kind');
  }
}

function fromWholeRow(row: WholeEntryRow, createdAt: number): JournalEntry {
  const [seq, at, kind, step, direction, attempt, actor, message, code, dueAt, ...more] = row;
  const [refused, run, unapproved, stack, intended] = more;
  return {
    seq,
    at: at + createdAt,
    kind,
    ...(isThere(step) && { step }),
    ...(isThere(run) && { run }),
    ...(isThere(direction) && { direction }),
    ...(isThere(attempt) && { attempt }),
    ...(isThere(actor) && { actor }),
    ...(isThere(message) && { message }),
    ...(isThere(code) && { code }),
    ...(isThere(dueAt) && { dueAt: dueAt + createdAt }),
    ...(refused === true && { refused }),
    ...(unapproved === true && { unapproved }),
    ...(isThere(stack) && { stack }),
    ...(intended === true && { intended }),
  };
}

function isThere<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
