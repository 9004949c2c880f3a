import { type Collection, type InsertManyResult, MongoBulkWriteError } from 'mongodb';
import type { AuditEntry, AuditLog, AuditQuery } from '#ports';
import { durable } from './connection.js';
import { DUPLICATE_KEY } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** An entry as stored: its number is the id, so that no two can take one place. */
export interface AuditDocument extends Omit<AuditEntry, 'seq'> {
  readonly _id: number;
}

/** Keeps the audit log. */
export class AuditRecords implements AuditLog {
  constructor(
    private readonly entries: Collection<AuditDocument>,
    private readonly calls: ServerCalls,
  ) {}

  /** In order, so that none is stored without those before it. */
  async appendEntries(entries: readonly AuditEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const [{ seq: first }] = entries as [AuditEntry];
    const [newest = null] = await this.readEntries({ first: 'newest', limit: 1 });
    if ((newest?.seq ?? 0) + 1 !== first) return 0;
    const documents = entries.map(({ seq, ...rest }) => ({ _id: seq, ...rest }));
    const options = { ordered: true, writeConcern: durable(this.calls.settings.operationMs) };
    const write = (): Promise<number> =>
      this.entries.insertMany(documents, options).then(countOf, countBefore);
    return this.calls.call('writing the audit log', write);
  }

  async readEntries({ beyond, first, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    const isNewestFirst = first === 'newest';
    const range = isNewestFirst ? { $lt: beyond } : { $gt: beyond };
    const filter = beyond === undefined ? {} : { _id: range as { $gt: number } };
    const read = (): Promise<AuditDocument[]> =>
      this.entries
        .find(filter)
        .sort({ _id: isNewestFirst ? -1 : 1 })
        .limit(limit)
        .toArray();
    const found = await this.calls.call('reading the audit log', read);
    return found.map(({ _id: seq, ...rest }) => ({ ...rest, seq }));
  }
}

function countOf({ insertedCount }: InsertManyResult): number {
  return insertedCount;
}

/** Another process has taken the next number. */
function countBefore(error: unknown): number {
  if (error instanceof MongoBulkWriteError && error.code === DUPLICATE_KEY) {
    return error.insertedCount;
  }
  throw error;
}
