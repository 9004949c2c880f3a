import { readStoredJson } from '#core/json';
import {
  checkAuditEntry,
  loggedEntry,
  type RecordForm,
  type RecordReader,
  storedUnder,
} from '#ports';
import type { AuditEntry, AuditLog, AuditQuery, LoggedEntry } from '#ports';
import type { WorkerLink } from './worker-link.js';

type Stored = readonly [seq: number, entry: unknown];

const FORM: RecordForm<Stored, AuditEntry> = {
  kind: 'audit_entry',
  idOf: ([seq]) => `${seq}`,
  decode: ([seq, text]) => storedUnder(checkAuditEntry(readStoredJson(text, 'entry')), 'seq', seq),
};

/** The audit log, in the file of the store. */
export class SqliteAudit implements AuditLog {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async appendEntries(entries: readonly AuditEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const texts = entries.map((entry) => JSON.stringify(entry));
    return this.#link.ask<number>(['appendAudit', entries[0]!.seq, texts]);
  }

  async removeEntries(upTo: number): Promise<number> {
    const count = await this.#link.ask<number>(['removeAudit', upTo]);
    this.#records.clearEvery('audit_entry', (id) => Number(id) <= upTo);
    return count;
  }

  async readEntries({ beyond, first, limit }: AuditQuery): Promise<readonly LoggedEntry[]> {
    const request = ['readAudit', beyond ?? null, first === 'newest', limit] as const;
    const rows = await this.#link.ask<readonly Stored[]>(request);
    return Array.from(rows, (row) => {
      return loggedEntry(row[0], this.#records.attempt(row, FORM), () => contentOf(row));
    });
  }
}

/** The JSON of a row, if it is about this number of the log; else null. */
function contentOf([seq, text]: Stored): unknown {
  try {
    const content = readStoredJson(text, 'entry') as { readonly seq?: unknown } | null;
    return content?.seq === seq ? content : null;
  } catch {
    return null;
  }
}
