import type { Collection } from 'mongodb';
import { LINE_MAX } from '#core/task';
import {
  countHolding,
  holdingSince,
  isSameTicket,
  checkLockEntry,
  type LockEntry,
  type LockLine,
  type LockOrder,
  type LockPlace,
  type LockQuery,
  type LockStore,
  type RecordForm,
  type RecordReader,
  StoreUnavailable,
} from '#ports';
import { readList } from '#core/json';
import { fromSafe, toSafe } from './bson-values.js';
import { isOwnFault, unlessDuplicate } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** One of a line as stored; `key` is made of task and ticket. */
interface EntryDocument extends LockEntry {
  readonly key: string;
}

/** The line of one lock: one document, so that one update orders all who come. */
export interface LockDocument {
  /** Name of the lock. */
  readonly _id: string;
  readonly line: EntryDocument[];
}

/** Attempts to stand in a line that others begin and empty meanwhile. */
const RACES_MAX = 20;

/** Of a line, what is ever looked at. */
const HEAD = { line: { $slice: LINE_MAX } };

const FORM: RecordForm<LockDocument, LockLine> = {
  kind: 'lock',
  idOf: ({ _id }) => fromSafe(_id),
  decode: ({ _id, line }) => {
    return { name: fromSafe(_id), entries: readList(line, 'line').map(entryOf) };
  },
};

/** The lines of locks. One in which nobody stands is removed. */
export class LockRecords implements LockStore {
  constructor(
    private readonly locks: Collection<LockDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  async enter({ name, number, since, slots, taskId }: LockOrder): Promise<boolean> {
    const _id = toSafe(name);
    const key = keyOf({ taskId, number });
    const entry: EntryDocument = { key, taskId, number, slots, since };
    for (let race = 0; race < RACES_MAX; race += 1) {
      const isAdded = await this.push(_id, entry);
      const line = await this.read(_id);
      const at = line.findIndex((other) => isSameTicket(other, entry));
      // In a line that is longer than what is read it stands further behind.
      if (isAdded || at >= 0 || line.length >= LINE_MAX) return at >= 0 && at < countHolding(line);
    }
    throw new StoreUnavailable(`The line of lock ${name} begins again too often.`);
  }

  /** False: the ticket stands in line already, or others began the line in this moment. */
  private async push(_id: string, entry: EntryDocument): Promise<boolean> {
    const filter = { _id, 'line.key': { $ne: entry.key } };
    const update = { $push: { line: entry } };
    const push = (): Promise<boolean> =>
      this.locks.updateOne(filter, update, { upsert: true }).then(() => true, unlessDuplicate);
    try {
      return await this.calls.call('standing in line for a lock', push);
    } catch (error) {
      // Nobody can stand in what is no line: then that is what is thrown.
      if (isOwnFault(error)) await this.read(_id);
      throw error;
    }
  }

  async leave({ name, number, taskId }: LockPlace): Promise<readonly LockEntry[]> {
    const _id = toSafe(name);
    const key = keyOf({ taskId, number });
    const before = await this.calls.call('leaving the line of a lock', () => {
      return this.locks.findOneAndUpdate(
        { _id, 'line.key': key },
        { $pull: { line: { key } } },
        { returnDocument: 'before' },
      );
    });
    if (before === null) return [];
    if (before.line.length === 1) {
      await this.calls.call('removing the line of a lock', () => {
        return this.locks.deleteOne({ _id, line: { $size: 0 } });
      });
    }
    return holdingSince(this.records.one(before, FORM).entries, { taskId, number });
  }

  readLine(name: string): Promise<readonly LockEntry[]> {
    return this.read(toSafe(name));
  }

  async listLines({ after = '', limit: most }: LockQuery): Promise<readonly LockLine[]> {
    // The last to leave may have died before removing the line; a short page would end the list.
    const filter = { _id: { $gt: toSafe(after) }, line: { $ne: [] } };
    const read = (limit: number, skip: number): Promise<LockDocument[]> =>
      this.calls.call('listing locks', () =>
        this.locks
          .find(filter, { projection: HEAD })
          .sort({ _id: 1 })
          .skip(skip)
          .limit(limit)
          .toArray(),
      );
    return this.records.page(most, read, FORM);
  }

  private async read(_id: string): Promise<readonly LockEntry[]> {
    const found = await this.calls.call('reading the line of a lock', () => {
      return this.locks.findOne({ _id }, { projection: HEAD });
    });
    return this.records.found(found, fromSafe(_id), FORM)?.entries ?? [];
  }
}

function keyOf({ number, taskId }: Pick<LockEntry, 'taskId' | 'number'>): string {
  return `${taskId} ${number}`;
}

function entryOf({ number, since, slots, taskId }: EntryDocument): LockEntry {
  return checkLockEntry({ taskId, number, slots, since });
}
