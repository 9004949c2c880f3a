import type { AuditEntry, AuditLog, AuditQuery } from '#ports';
import type { WorkerLink } from './worker-link.js';

/** The audit log, in the file of the store. */
export class SqliteAudit implements AuditLog {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async appendEntries(entries: readonly AuditEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const texts = entries.map((entry) => JSON.stringify(entry));
    return this.#link.ask<number>(['appendAudit', entries[0]!.seq, texts]);
  }

  async readEntries({ beyond, first, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    const request = ['readAudit', beyond ?? null, first === 'newest', limit] as const;
    const texts = await this.#link.ask<readonly string[]>(request);
    return Array.from(texts, (text) => JSON.parse(text) as AuditEntry);
  }
}
