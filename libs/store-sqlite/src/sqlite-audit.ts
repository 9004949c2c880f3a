import { DocumentFault, readJson } from '#core';
import { checkAuditEntry, type RecordForm, type RecordReader, RecordUnreadable } from '#ports';
import type { AuditEntry, AuditLog, AuditQuery, LoggedEntry } from '#ports';
import type { WorkerLink } from './worker-link.js';

type Stored = readonly [seq: number, entry: unknown];

const FORM: RecordForm<Stored, AuditEntry> = {
  kind: 'audit_entry',
  idOf: ([seq]) => `${seq}`,
  decode: ([seq, text]) => {
    const entry = checkAuditEntry(readJson(text, 'entry'));
    if (entry.seq === seq) return entry;
    throw new DocumentFault('seq is not the one under which it is stored');
  },
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

  async readEntries({ beyond, first, limit }: AuditQuery): Promise<readonly LoggedEntry[]> {
    const request = ['readAudit', beyond ?? null, first === 'newest', limit] as const;
    const rows = await this.#link.ask<readonly Stored[]>(request);
    return Array.from(rows, (row) => {
      const entry = this.#records.attempt(row, FORM);
      if (!(entry instanceof RecordUnreadable)) return entry;
      return { seq: row[0], unreadable: entry.reason };
    });
  }
}
