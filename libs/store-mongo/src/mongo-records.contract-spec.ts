import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { FINITE, TEXT } from '#core/json';
import { recordKind, RecordReader } from '#ports';
import { RecordingObserver, SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { MongoRecords } from './mongo-records.js';
import { settingsOf } from './options.js';
import { ServerCalls } from './server-calls.js';

interface Mark {
  readonly name: string;
  readonly at: number;
}

const MARK = recordKind<Mark, 'time'>({
  name: 'mark',
  plural: 'marks',
  shape: { name: TEXT, at: FINITE },
  idOf: ({ name }) => name,
  indexes: { time: { of: [], by: 'at' } },
});

const OLD = { index: 'time', upTo: 5, limit: 2 } as const;

describeWith('Records in MongoDB that many remove at once', { servers: ['mongo'] }, () => {
  let server: MongoServer;
  let client: MongoClient;
  let db: Db;
  /** Called once a removal has found what it removes. */
  let found: () => Promise<unknown>;

  class HeldCalls extends ServerCalls {
    override async call<T>(what: string, operation: () => Promise<T>): Promise<T> {
      const result = await super.call(what, operation);
      if (what.startsWith('looking through')) await found();
      return result;
    }
  }

  beforeAll(async () => {
    server = present(await startMongo());
    client = new MongoClient(server.url);
    db = client.db(`records_${process.pid}`);
  }, 120_000);

  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
    await server.stop();
  });

  async function recordsWith(marks: readonly Mark[]): Promise<MongoRecords> {
    const observer = new RecordingObserver();
    const chance = { newMark: () => 'm', random: () => 0.5 };
    const settings = settingsOf({ url: server.url, clock: new SystemClock(), observer, ...chance });
    const records = new MongoRecords(db, new HeldCalls(settings), new RecordReader(observer));
    for (const mark of marks) await records.put(MARK, mark, 'any');
    return records;
  }

  it('stay where they have left the list meanwhile', async () => {
    const records = await recordsWith(['a', 'b'].map((name) => ({ name, at: 1 })));
    found = () => records.put(MARK, { name: 'a', at: 9 }, 'any');
    await records.removeAll(MARK, OLD);
    expect(await records.list(MARK, { limit: 9 })).toEqual([{ name: 'a', at: 9 }]);
  });

  it('count where another process was first, so that nobody stops before the end', async () => {
    const records = await recordsWith(['a', 'b', 'c'].map((name) => ({ name, at: 1 })));
    found = () => records.remove(MARK, 'a', 'any');
    while ((await records.removeAll(MARK, OLD)) === OLD.limit);
    expect(await records.list(MARK, { limit: 9 })).toEqual([]);
  });
});
