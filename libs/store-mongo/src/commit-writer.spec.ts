import { describe, expect, it } from '@jest/globals';
import { type Db, MongoBulkWriteError, MongoNetworkError } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { endedOf, ManualClock, nextOf, RecordingObserver, sampleTask, settle } from '#testing';
import { CommitWriter } from './commit-writer.js';
import { DocumentRefused } from './failure.js';
import { settingsOf } from './options.js';
import { StepLists } from './plan-document.js';
import { ServerCalls } from './server-calls.js';
import { Snapshots } from './snapshots.js';

interface Stored {
  readonly _id: string;
  revision: number;
  writers: string[];
}

interface Operation {
  readonly updateOne: {
    readonly filter: {
      readonly _id: string;
      readonly revision: number;
      readonly snapshotHash?: string;
    };
    readonly update: {
      readonly $set: { readonly revision: number };
      readonly $push: { readonly writers: { readonly $each: Stored['writers'] } };
    };
  };
}

type Written = Operation['updateOne'];

/** A fault of a bulk write: before it is applied, or in its answer. */
type Mishap = (operations: readonly Operation[], apply: () => number) => Promise<number>;

/** A collection in memory; each bulk write suffers the next mishap. */
class FakeTasks {
  readonly documents = new Map<string, Stored>();
  readonly mishaps: Mishap[] = [];
  writes = 0;
  /** Additional members of the answers to single updates. */
  said: { readonly writeConcernError?: object; readonly writeErrors?: readonly object[] } = {};

  add(taskId: string, revision: number): void {
    this.documents.set(taskId, { _id: taskId, revision, writers: [] });
  }

  /** Another process goes on from whatever is stored. */
  overtake(taskId: string, times: number): void {
    const stored = this.documents.get(taskId)!;
    for (let nth = 0; nth < times; nth += 1) {
      this.push(stored, `${stored.revision + 1} other-${nth}`);
    }
  }

  async bulkWrite(operations: readonly Operation[]) {
    this.writes += 1;
    const apply = (): number => operations.filter((operation) => this.apply(operation)).length;
    const mishap = this.mishaps.shift();
    const matchedCount = mishap === undefined ? apply() : await mishap(operations, apply);
    return { matchedCount, insertedCount: 0 };
  }

  /** A batch of one goes by the server's own command. */
  async command({ updates: [one] }: { updates: [{ q: Written['filter']; u: Written['update'] }] }) {
    const { matchedCount } = await this.bulkWrite([
      { updateOne: { filter: one.q, update: one.u } },
    ]);
    return { ok: 1, n: matchedCount, ...this.said };
  }

  find({ _id }: { _id: { $in: string[] } }) {
    const found = _id.$in.flatMap((id) => this.documents.get(id) ?? []);
    return { toArray: async () => structuredClone(found) };
  }

  private apply({ updateOne: { filter, update } }: Operation): boolean {
    const stored = this.documents.get(filter._id);
    if (stored?.revision !== filter.revision || filter.snapshotHash !== undefined) return false;
    this.push(stored, update.$push.writers.$each[0]!);
    return true;
  }

  private push(stored: Stored, writer: string): void {
    stored.revision += 1;
    stored.writers = [...stored.writers, writer].slice(-8);
  }
}

function world() {
  const clock = new ManualClock();
  const fake = new FakeTasks();
  let marks = 0;
  const settings = settingsOf({
    url: 'mongodb://localhost/db',
    clock,
    observer: new RecordingObserver(),
    newMark: () => `mark-${(marks += 1)}`,
    random: () => 0.5,
  });
  const db = { collection: () => fake, command: fake.command.bind(fake) } as unknown as Db;
  const snapshots = new Snapshots(new StepLists());
  const writer = new CommitWriter(db, new ServerCalls(settings), snapshots);
  const task = sampleTask();
  fake.add(task.plan.taskId, 1);
  return { clock, fake, snapshots, writer, task, id: task.plan.taskId };
}

const lostReply: Mishap = async (_operations, apply) => {
  apply();
  throw new MongoNetworkError('connection closed');
};

const notSent: Mishap = async () => {
  throw new MongoNetworkError('connection refused');
};

describe('a commit that is about to leave', () => {
  it('says so, and leaves behind what is sent then', async () => {
    const { fake, writer, task } = world();
    const heard: string[] = [];
    fake.mishaps.push(async (_operations, apply) => {
      heard.push('left');
      return apply();
    });
    const send = (): void => void setImmediate(() => heard.push('a message in the next turn'));
    await writer.commit(task, nextOf(task), send);
    expect(heard).toEqual(['a message in the next turn', 'left']);
  });

  it('says nothing while the server does not answer', async () => {
    const { clock, fake, writer, task } = world();
    const other = sampleTask({ taskId: 'other' });
    fake.add('other', 1);
    fake.mishaps.push(notSent);
    const first = writer.commit(task, nextOf(task));
    await settle();
    const heard: string[] = [];
    const second = writer.commit(other, nextOf(other), () => heard.push('leaving'));
    await clock.advance(100);
    expect(await Promise.all([first, second])).toEqual(['committed', 'committed']);
    expect(heard).toEqual([]);
  });

  it('says nothing beside others, which leave in a batch with it', async () => {
    const { fake, writer } = world();
    const heard: string[] = [];
    const commits = ['first', 'second', 'third'].map((taskId) => {
      const one = sampleTask({ taskId });
      fake.add(taskId, 1);
      return writer.commit(one, nextOf(one), () => heard.push(taskId));
    });
    await Promise.all(commits);
    expect(heard).toEqual(['first']);
  });
});

describe('a commit', () => {
  it('of which the answer was lost counts, once', async () => {
    const { fake, writer, task, id } = world();
    fake.mishaps.push(lostReply);
    expect(await writer.commit(task, nextOf(task))).toBe('committed');
    expect(fake.documents.get(id)?.revision).toBe(2);
    expect(fake.writes).toBe(1);
  });

  it('that is reported as a miss although it was applied counts', async () => {
    const { fake, writer, task } = world();
    fake.mishaps.push(async (_operations, apply) => {
      apply();
      return 0;
    });
    expect(await writer.commit(task, nextOf(task))).toBe('committed');
  });

  it('that was applied counts also when others went on from it', async () => {
    const { fake, writer, task, id } = world();
    fake.mishaps.push(async (operations, apply) => {
      apply();
      fake.overtake(id, 5);
      return lostReply(operations, () => 0);
    });
    expect(await writer.commit(task, nextOf(task))).toBe('committed');
  });

  it('is a conflict when another one took its revision while it was sent again', async () => {
    const { fake, writer, task, id } = world();
    fake.mishaps.push(async () => {
      fake.overtake(id, 1);
      throw new MongoNetworkError('connection refused');
    });
    expect(await writer.commit(task, nextOf(task))).toBe('conflict');
  });

  it('that never arrived is sent again', async () => {
    const { clock, fake, writer, task } = world();
    fake.mishaps.push(notSent, notSent);
    const result = writer.commit(task, nextOf(task));
    await clock.advance(500);
    expect(await result).toBe('committed');
    expect(fake.writes).toBe(3);
  });

  it('gives up with StoreUnavailable after its time, and says why', async () => {
    const { clock, fake, writer, task } = world();
    fake.mishaps.push(...Array.from({ length: 100 }, () => notSent));
    const result = writer.commit(task, nextOf(task)).catch((error: unknown) => error);
    await clock.advance(7_000);
    const error = await result;
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  it('that may not last counts once it is read back from where it lasts', async () => {
    const { fake, writer, task, id } = world();
    fake.said = { writeConcernError: { code: 64 } };
    expect(await writer.commit(task, nextOf(task))).toBe('committed');
    expect(fake.documents.get(id)?.revision).toBe(2);
    expect(fake.writes).toBe(1);
  });

  it('that was refused for good by itself fails', async () => {
    const { fake, writer, task } = world();
    fake.said = { writeErrors: [{ index: 0, code: 17_419 }] };
    fake.mishaps.push(async () => 0);
    await expect(writer.commit(task, nextOf(task))).rejects.toThrow(DocumentRefused);
  });

  it('from a document far behind is a conflict', async () => {
    const { fake, writer, task, id } = world();
    fake.overtake(id, 20);
    expect(await writer.commit(task, nextOf(task))).toBe('conflict');
  });

  it('is neither nor when too many others could have built upon it', async () => {
    const { fake, writer, task, id } = world();
    fake.mishaps.push(async (operations, apply) => {
      apply();
      fake.overtake(id, 20);
      return lostReply(operations, () => 0);
    });
    await expect(writer.commit(task, nextOf(task))).rejects.toThrow(StoreUnavailable);
  });

  it('of a document that a message told falsely is a conflict, and is not tried again', async () => {
    const { fake, snapshots, writer, task } = world();
    const told = snapshots.recall(snapshots.textOf(task)!)!;
    expect(await writer.commit(told, nextOf(told))).toBe('conflict');
    expect(fake.writes).toBe(1);
  });

  it('of a task that is gone is a conflict', async () => {
    const { fake, writer, task, id } = world();
    fake.documents.delete(id);
    expect(await writer.commit(task, endedOf(task))).toBe('conflict');
  });

  it('that the server refuses for good fails alone', async () => {
    const { fake, writer, task } = world();
    const other = sampleTask();
    fake.add(other.plan.taskId, 1);
    fake.mishaps.push(async (operations, apply) => {
      const refused = operations[0]!.updateOne.filter._id;
      const stored = fake.documents.get(refused)!;
      fake.documents.delete(refused);
      const matched = apply();
      fake.documents.set(refused, stored);
      throw tooLarge(matched);
    });
    const results = await Promise.allSettled([
      writer.commit(task, nextOf(task)),
      writer.commit(other, nextOf(other)),
    ]);
    expect(results[0]).toMatchObject({ reason: expect.any(DocumentRefused) });
    expect(results[1]).toEqual({ status: 'fulfilled', value: 'committed' });
  });
});

/** As the driver builds it when the first operation of a batch is refused. */
function tooLarge(matchedCount: number): MongoBulkWriteError {
  const writeErrors = [{ index: 0, code: 17_419, errmsg: 'too large' }];
  const totals = { matchedCount, insertedCount: 0, getWriteConcernError: () => undefined };
  const error = { message: 'too large', code: 17_419, writeErrors };
  return new MongoBulkWriteError(error as never, totals as never);
}
