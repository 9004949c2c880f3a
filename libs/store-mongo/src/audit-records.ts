import { type Collection, type InsertManyResult, MongoBulkWriteError } from 'mongodb';
import { checkAuditEntry, loggedEntry, type RecordForm, type RecordReader } from '#ports';
import type { AuditEntry, AuditLog, AuditQuery, LoggedEntry } from '#ports';
import { durable } from './connection.js';
import { DUPLICATE_KEY } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** An entry as stored: its number is the id, so that no two can have the same. */
export interface AuditDocument extends Omit<AuditEntry, 'seq'> {
  readonly _id: number;
}

/** No entry has this number, or one behind it. */
const LAST = Number.MAX_SAFE_INTEGER;

const FORM: RecordForm<AuditDocument, AuditEntry> = {
  kind: 'audit_entry',
  idOf: ({ _id }) => `${_id}`,
  decode: ({ _id: seq, ...rest }) => checkAuditEntry({ ...rest, seq }),
};

/** Keeps the audit log. */
export class AuditRecords implements AuditLog {
  constructor(
    private readonly entries: Collection<AuditDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
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

  async removeEntries(upTo: number): Promise<number> {
    const [newest] = await this.readEntries({ first: 'newest', limit: 1 });
    const last = Math.min(upTo, (newest?.seq ?? 0) - 1);
    const filter = { _id: { $gte: 1, $lte: last } };
    // Along the index of ids: what stops halfway leaves no gap.
    const options = { hint: '_id_', writeConcern: durable(this.calls.settings.operationMs) };
    const remove = async (): Promise<number> =>
      (await this.entries.deleteMany(filter, options)).deletedCount;
    const count = await this.calls.call('removing old entries of the audit log', remove);
    this.records.clearEvery('audit_entry', (id) => Number(id) <= last);
    return count;
  }

  async readEntries({ beyond, first, limit }: AuditQuery): Promise<readonly LoggedEntry[]> {
    const isNewestFirst = first === 'newest';
    const [from, to] = isNewestFirst ? [1, (beyond ?? LAST) - 1] : [(beyond ?? 0) + 1, LAST];
    // Numbers alone: a text in the place of an id sorts behind them and would be the newest.
    const filter = { _id: { $gte: from, $lte: to } };
    const read = (): Promise<AuditDocument[]> =>
      this.entries
        .find(filter)
        .sort({ _id: isNewestFirst ? -1 : 1 })
        .limit(limit)
        .toArray();
    const found = await this.calls.call('reading the audit log', read);
    return found.map((document) => {
      return loggedEntry(document._id, this.records.attempt(document, FORM), () => document);
    });
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
