import { type Collection, MongoServerError } from 'mongodb';
import {
  countHolding,
  holdingSince,
  isSameTicket,
  LINE_MAX,
  type LockEntry,
  type LockLine,
  type LockOrder,
  type LockPlace,
  type LockQuery,
  type LockStore,
} from '#ports';
import { fromSafe, toSafe } from './bson-values.js';
import { DUPLICATE_KEY } from './failure.js';
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

/** The lines of locks. One in which nobody stands is removed. */
export class LockRecords implements LockStore {
  constructor(
    private readonly locks: Collection<LockDocument>,
    private readonly calls: ServerCalls,
  ) {}

  async enter({ name, number, since, slots, taskId }: LockOrder): Promise<boolean> {
    const _id = toSafe(name);
    const key = keyOf({ taskId, number });
    const entry: EntryDocument = { key, taskId, number, slots, since };
    await this.calls.call('standing in line for a lock', async () => {
      try {
        const update = { $push: { line: entry } };
        await this.locks.updateOne({ _id, 'line.key': { $ne: key } }, update, { upsert: true });
      } catch (error) {
        // It stands there already, or others began the line in this moment.
        if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
      }
    });
    const line = await this.read(_id);
    const at = line.findIndex((other) => isSameTicket(other, entry));
    return at >= 0 && at < countHolding(line);
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
    return holdingSince(before.line.map(entryOf), { taskId, number });
  }

  readLine(name: string): Promise<readonly LockEntry[]> {
    return this.read(toSafe(name));
  }

  async listLines({ after = '', limit }: LockQuery): Promise<readonly LockLine[]> {
    const read = (): Promise<LockDocument[]> =>
      this.locks
        .find({ _id: { $gt: toSafe(after) } }, { projection: { line: { $slice: LINE_MAX } } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
    const found = await this.calls.call('listing locks', read);
    const lines = found.map(({ _id, line }) => {
      return { name: fromSafe(_id), entries: line.map(entryOf) };
    });
    return lines.filter(({ entries }) => entries.length > 0);
  }

  private async read(_id: string): Promise<readonly LockEntry[]> {
    const found = await this.calls.call('reading the line of a lock', () => {
      return this.locks.findOne({ _id }, { projection: { line: { $slice: LINE_MAX } } });
    });
    return found?.line.map(entryOf) ?? [];
  }
}

function keyOf({ number, taskId }: Pick<LockEntry, 'taskId' | 'number'>): string {
  return `${taskId} ${number}`;
}

function entryOf({ number, since, slots, taskId }: EntryDocument): LockEntry {
  return { taskId, number, slots, since };
}
