import { DocumentFault } from '#core/json';
import { nullWhereUnreadable, RecordUnreadable, TaskUnreadable } from './errors.js';
import type { Observer } from './observer.js';

/** Most records that are remembered; more would be reported again. */
const KEPT_MAX = 10_000;

/** Rows of one more read at most, where those of the first could not all be read. */
const MORE_MAX = 1_000;

/** How rows of one kind become records. */
export interface RecordForm<Row, T> {
  /** Its name, in metrics and messages. */
  readonly kind: string;
  /** The name of the record, as people use it. */
  readonly idOf: (row: Row) => string;
  /** Throws where the row is no such record. */
  readonly decode: (row: Row) => T;
}

/** A stored record that cannot be read. */
interface UnreadableRecord {
  readonly kind: string;
  readonly id: string;
  /** Names the member that is wrong, and quotes nothing. */
  readonly reason: string;
}

interface Found {
  readonly revision: unknown;
  readonly reason: string;
  /** When it was read last, by the clock of whoever noted it. */
  readonly at: number;
}

/** The context of a document that could not be read. */
interface NoteContext {
  /** As stored, whatever it is. */
  readonly revision: unknown;
  /** Default: 0. */
  readonly at?: number;
}

/**
 * Turns the rows of a store into records, each for itself: one that cannot be read stops no other.
 * It is left as it is, and reported once for each reason, however often it is met.
 */
export class RecordReader {
  readonly #found = new Map<string, UnreadableRecord>();
  readonly #observer: Pick<Observer, 'noticed'>;

  constructor(observer: Pick<Observer, 'noticed'>) {
    this.#observer = observer;
  }

  /** Those that were met, that nobody has mended since as far as is known. */
  list(): readonly UnreadableRecord[] {
    return [...this.#found.values()];
  }

  /** The record of a row. Throws `RecordUnreadable`. */
  one<Row, T>(row: Row, form: RecordForm<Row, T>): T {
    const { kind, idOf, decode } = form;
    try {
      const record = decode(row);
      if (this.#found.size > 0) this.clear(kind, idOf(row));
      return record;
    } catch (error) {
      const record = { kind, id: nameOf(row, form), reason: reasonOf(error) };
      this.#note(record);
      throw new RecordUnreadable(record.kind, record.id, record.reason, row);
    }
  }

  /** The record of the row under an id; null: there is no row. Throws `RecordUnreadable`. */
  found<Row, T>(row: Row | null | undefined, id: string, form: RecordForm<Row, T>): T | null {
    if (row !== null && row !== undefined) return this.one(row, form);
    this.clear(form.kind, id);
    return null;
  }

  /** The record of a row, or why there is none. */
  attempt<Row, T>(row: Row, form: RecordForm<Row, T>): T | RecordUnreadable {
    try {
      return this.one(row, form);
    } catch (error) {
      if (error instanceof RecordUnreadable) return error;
      throw error;
    }
  }

  /** The records of those rows that can be read. */
  all<Row, T>(rows: readonly Row[], form: RecordForm<Row, T>): readonly T[] {
    const records: T[] = [];
    for (const row of rows) {
      const record = this.attempt(row, form);
      if (!(record instanceof RecordUnreadable)) records.push(record);
    }
    return records;
  }

  /**
   * As many records as are wanted, if there are: rows that cannot be read take the place of no
   * others. `read` gives the rows behind the first `skip`, in one order, at most `limit`.
   */
  async page<Row, T>(
    limit: number,
    read: (limit: number, skip: number) => Promise<readonly Row[]>,
    form: RecordForm<Row, T>,
  ): Promise<readonly T[]> {
    const records: T[] = [];
    let [size, skip] = [limit, 0];
    for (;;) {
      const rows = await read(size, skip);
      records.push(...this.all(rows, form));
      if (rows.length < size || records.length >= limit) return records.slice(0, limit);
      skip += rows.length;
      size = Math.max(limit, MORE_MAX);
    }
  }

  /** Those of these ids are gone. */
  clearEvery(kind: string, isGone: (id: string) => boolean): void {
    for (const record of this.list()) {
      if (record.kind === kind && isGone(record.id)) this.clear(kind, record.id);
    }
  }

  /** The record was written again, or is gone. */
  clear(kind: string, id: string): void {
    if (this.#found.size > 0) this.#found.delete(keyOf(kind, id));
  }

  /** The same, if a write took effect; tells whether it did. */
  async clearAfter(kind: string, id: string, write: Promise<boolean>): Promise<boolean> {
    const isDone = await write;
    if (isDone) this.clear(kind, id);
    return isDone;
  }

  /** Finds again those of a kind that were met: many were removed, and it is not known which. */
  async lookAgain(kind: string, find: (id: string) => Promise<unknown>): Promise<void> {
    const met = this.list().filter((record) => record.kind === kind);
    for (const { id } of met) await find(id).catch(nullWhereUnreadable);
  }

  #note(record: UnreadableRecord): void {
    const { id, kind, reason } = record;
    const key = keyOf(kind, id);
    const known = this.#found.get(key);
    if (known?.reason === reason) return;
    this.#found.set(key, record);
    const [oldest] = this.#found.keys();
    if (this.#found.size > KEPT_MAX && oldest !== undefined) this.#found.delete(oldest);
    const { message } = new RecordUnreadable(kind, id, reason);
    this.#observer.noticed({ level: 'warn', name: 'unreadable_record', message });
  }
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

/** Even the id may be none. */
function nameOf<Row>(row: Row, { idOf }: RecordForm<Row, unknown>): string {
  try {
    const id: unknown = idOf(row);
    return String(id);
  } catch {
    return '?';
  }
}

function reasonOf(error: unknown): string {
  return error instanceof DocumentFault ? error.message : 'it has not the form of such a record';
}

/**
 * The stored documents that a store could not read. Each is reported once per revision and reason,
 * however often it is read.
 */
export class Quarantine {
  readonly #found = new Map<string, Found>();
  readonly #observer: Pick<Observer, 'noticed'>;

  constructor(observer: Pick<Observer, 'noticed'>) {
    this.#observer = observer;
  }

  /** How many there are. */
  get size(): number {
    return this.#found.size;
  }

  /** Why the document cannot be read; undefined: nothing is known against it. */
  reasonOf(taskId: string): string | undefined {
    return this.#found.get(taskId)?.reason;
  }

  /** Notes a document that was read at `at`; gives what its reader throws. */
  note(taskId: string, error: unknown, { revision, at = 0 }: NoteContext): TaskUnreadable {
    const reason = reasonOfPart(error);
    const known = this.#found.get(taskId);
    this.#found.set(taskId, { revision, reason, at });
    const unreadable = new TaskUnreadable(taskId, reason);
    if (known?.revision === revision && known?.reason === reason) return unreadable;
    const [oldest] = this.#found.keys();
    if (this.#found.size > KEPT_MAX && oldest !== undefined) this.#found.delete(oldest);
    const { message } = unreadable;
    this.#observer.noticed({ level: 'error', name: 'unreadable_task', message, taskId });
    return unreadable;
  }

  /** The document was read after all. */
  clear(taskId: string): void {
    if (this.#found.size > 0) this.#found.delete(taskId);
  }

  /** Ids of those that were read at or after a moment. */
  since(at: number): readonly string[] {
    const ids: string[] = [];
    for (const [taskId, found] of this.#found) if (found.at >= at) ids.push(taskId);
    return ids;
  }
}

/** Why a document cannot be read, quoting nothing of it. */
function reasonOfPart(error: unknown): string {
  if (error instanceof TaskUnreadable) return error.reason;
  return error instanceof DocumentFault ? error.message : 'it has not the form of a task';
}
