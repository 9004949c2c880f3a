import { describe, expect, it } from '@jest/globals';
import { type Collection, MongoServerError } from 'mongodb';
import { type LockOrder, RecordReader, StoreUnavailable } from '#ports';
import { RecordingObserver, SystemClock } from '#testing';
import { DUPLICATE_KEY } from './failure.js';
import { type LockDocument, LockRecords } from './lock-records.js';
import { settingsOf } from './options.js';
import { ServerCalls } from './server-calls.js';

type Ticket = LockDocument['line'][0];

interface Push {
  readonly $push: { readonly line: Ticket };
}

/**
 * A collection in memory that does an upsert as a server does: it looks for the document, and
 * inserts one where it found none, which another may have done meanwhile.
 */
class FakeLocks {
  readonly lines = new Map<string, Ticket[]>();
  /** Called before a document is inserted, and after one was refused. */
  between = { insert: (): void => undefined, refused: (): void => undefined };

  async updateOne(
    { _id }: { readonly _id: string },
    { $push: { line: ticket } }: Push,
  ): Promise<void> {
    const line = this.lines.get(_id);
    if (line?.every(({ key }) => key !== ticket.key)) {
      line.push(ticket);
      return;
    }
    await new Promise(setImmediate);
    this.between.insert();
    if (this.lines.has(_id)) {
      this.between.refused();
      throw new MongoServerError({ message: 'duplicate key', code: DUPLICATE_KEY });
    }
    this.lines.set(_id, [ticket]);
  }

  async findOne({ _id }: { readonly _id: string }): Promise<LockDocument | null> {
    const line = this.lines.get(_id);
    return line === undefined ? null : { _id, line: [...line] };
  }
}

function world() {
  const observer = new RecordingObserver();
  const chance = { newMark: () => 'm', random: () => 0.5 };
  const url = 'mongodb://127.0.0.1/';
  const calls = new ServerCalls(settingsOf({ url, clock: new SystemClock(), observer, ...chance }));
  const fake = new FakeLocks();
  const locks = new LockRecords(
    fake as unknown as Collection<LockDocument>,
    calls,
    new RecordReader(observer),
  );
  return { fake, locks };
}

function order(taskId: string): LockOrder {
  return { name: 'x', taskId, number: 1, slots: 1, since: 0 };
}

describe('tasks that ask for a free lock at once', () => {
  it('all stand in its line, and the first has it', async () => {
    const { fake, locks } = world();
    const held = await Promise.all(['a', 'b', 'c'].map((taskId) => locks.enter(order(taskId))));
    expect(held).toEqual([true, false, false]);
    expect(fake.lines.get('x')?.map(({ taskId }) => taskId)).toEqual(['a', 'b', 'c']);
  });

  it('stand there once, however often they ask', async () => {
    const { fake, locks } = world();
    for (const taskId of ['a', 'b', 'a', 'b']) await locks.enter(order(taskId));
    expect(fake.lines.get('x')).toHaveLength(2);
  });

  it('get it where the line that was begun meanwhile is empty by now', async () => {
    const { fake, locks } = world();
    fake.between.insert = () => {
      fake.between.insert = () => undefined;
      fake.lines.set('x', []);
    };
    fake.between.refused = () => void fake.lines.delete('x');
    expect(await locks.enter(order('a'))).toBe(true);
  });

  it('are told where they do not come into the line', async () => {
    const { fake, locks } = world();
    fake.between.insert = () => void fake.lines.set('x', []);
    fake.between.refused = () => void fake.lines.delete('x');
    await expect(locks.enter(order('a'))).rejects.toThrow(StoreUnavailable);
  });
});
