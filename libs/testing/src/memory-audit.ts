import type { AuditEntry, AuditLog, AuditQuery } from '#ports';

/** An audit log in memory. */
export class MemoryAudit implements AuditLog {
  constructor(private readonly open: () => AuditEntry[]) {}

  async appendEntries(entries: readonly AuditEntry[]): Promise<number> {
    const log = this.open();
    if ((log.at(-1)?.seq ?? 0) + 1 !== entries[0]?.seq) return 0;
    log.push(...entries);
    return entries.length;
  }

  async removeEntries(upTo: number): Promise<number> {
    const log = this.open();
    const last = Math.min(upTo, (log.at(-1)?.seq ?? 0) - 1);
    const count = log.filter(({ seq }) => seq <= last).length;
    log.splice(0, count);
    return count;
  }

  async readEntries({ beyond, first, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    const isNewestFirst = first === 'newest';
    const log = isNewestFirst ? this.open().toReversed() : this.open();
    const isBeyond = ({ seq }: AuditEntry): boolean =>
      beyond === undefined || (isNewestFirst ? seq < beyond : seq > beyond);
    return log.filter(isBeyond).slice(0, limit);
  }
}
