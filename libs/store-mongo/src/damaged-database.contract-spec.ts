import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { StoreDamaged } from '#ports';
import { FakeEntropy, RecordingObserver, sampleTask, SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { eventually } from '../../../test/servers/rabbitmq-rig.js';
import { examineDatabase, type MongoStore, openMongoStore, UnsuitableServer } from './index.js';

/** One for all stores: marks must never meet. */
const entropy = new FakeEntropy();

describeWith('MongoDB store and its database', { servers: ['mongo'] }, () => {
  let server: MongoServer;
  let client: MongoClient;
  let db: Db;
  let observer: RecordingObserver;
  let stores: MongoStore[];
  let count = 0;

  beforeAll(async () => {
    server = present(await startMongo());
    client = new MongoClient(server.url);
  }, 240_000);
  beforeEach(() => {
    count += 1;
    db = client.db(`damaged_${process.pid}_${count}`);
    observer = new RecordingObserver();
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await db.dropDatabase();
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  async function open(told = observer): Promise<MongoStore> {
    const store = await openMongoStore({
      url: server.url,
      database: db.databaseName,
      clock: new SystemClock(),
      observer: told,
      newMark: () => entropy.newId(),
      random: () => entropy.random(),
    });
    stores.push(store);
    return store;
  }

  /** Resolves once a ping of the store fails for good, with the sentence. */
  function damage(store: MongoStore): Promise<string> {
    return eventually('the damage is seen', async () => {
      const error: unknown = await store.ping().then(
        () => null,
        (reason: unknown) => reason,
      );
      if (!(error instanceof StoreDamaged)) throw new Error('it is ready');
      return error.message;
    });
  }

  describe('that is gone', () => {
    const harms: [string, RegExp, () => Promise<unknown>][] = [
      // A look in the midst of it finds one collection gone, and the others not yet.
      ['dropped', /was dropped/, () => db.dropDatabase()],
      ['its tasks dropped', /tasks was dropped/, () => db.collection('tasks').drop()],
      ['its audit log dropped', /audit was dropped/, () => db.collection('audit').drop()],
    ];

    it.each(harms)(
      'is used no more: %s',
      async (_, why, harm) => {
        const store = await open();
        await db.collection('audit').insertOne({ note: 'it is there' });
        const task = sampleTask();
        await store.insert(task);
        // The second look knows the collections by the first one.
        await eventually('it was looked at', async () => {
          const seen = await db.collection('secrets').findOne({ seenAt: { $exists: true } });
          if (seen === null) throw new Error('not yet');
        });
        await store.insert(sampleTask());
        await harm();
        expect(await damage(store)).toMatch(why);
        await expect(store.insert(sampleTask())).rejects.toThrow(StoreDamaged);
        await expect(store.get(task.plan.taskId)).rejects.toThrow(/restore the database/);
        await expect(store.openSession('s', 1_000)).rejects.toThrow(StoreDamaged);
        const told = observer.notices.filter(({ level }) => level === 'error');
        expect(told).toMatchObject([
          { name: 'store_damaged', message: expect.stringMatching(why) },
        ]);
      },
      60_000,
    );

    it('is not taken for the one that is made in its place', async () => {
      const first = await open();
      await db.dropDatabase();
      const second = await open(new RecordingObserver());
      expect(await damage(first)).toMatch(/another store was made there/);
      const task = sampleTask();
      await second.insert(task);
      await expect(first.get(task.plan.taskId)).rejects.toThrow(StoreDamaged);
      await second.ping();
    }, 60_000);
  });

  describe('that lacks an index', () => {
    const tasks = () => db.collection('tasks');

    it.each([
      ['one for lists', 'by_time'],
      ['one for governance', 'by_wake'],
    ])(
      'takes no tasks until it is there again: %s',
      async (_, name) => {
        const store = await open();
        const task = sampleTask();
        await store.insert(task);
        await tasks().dropIndex(name);
        expect(await damage(store)).toContain(`index ${name} of tasks`);
        await expect(store.insert(sampleTask())).rejects.toThrow(StoreDamaged);
        expect(await store.get(task.plan.taskId)).toEqual(task);
        await open(new RecordingObserver());
        await eventually('it is whole again', () => store.ping());
        await store.insert(sampleTask());
        expect(observer.notices.map((each) => each.name)).toEqual(['store_damaged', 'store_whole']);
      },
      60_000,
    );
  });

  it('is told from one that an older version made, by the doctor', async () => {
    const url = `${server.url}${db.databaseName}`;
    await open();
    const whole = await examineDatabase(client, url);
    expect(whole).toMatchObject({ id: expect.any(String), harm: null, lacks: null });
    await db.collection('waiting_actions').drop();
    const lacks = 'its collection waiting_actions is not there';
    expect(await examineDatabase(client, url)).toEqual({ ...whole, lacks });
    await open();
    expect(await examineDatabase(client, url)).toEqual(whole);
    await db.collection('tasks').dropIndex('by_time');
    const index = 'its index by_time of tasks is not there';
    expect(await examineDatabase(client, url)).toEqual({ ...whole, lacks: index });
    await db.collection('tasks').drop();
    const harm = 'its collection tasks was dropped';
    expect(await examineDatabase(client, url)).toEqual({ ...whole, harm });
  }, 60_000);

  it('is made by all processes of a set that start at once', async () => {
    const openings = Array.from({ length: 8 }, () => open(new RecordingObserver()));
    const [first] = await Promise.all(openings);
    await first!.ping();
  }, 60_000);

  it('has a line of a lock that a crash left empty: it ends no list of lines', async () => {
    const { locks } = await open();
    const ticket = { taskId: 't', number: 1, slots: 1, since: 5 };
    for (const name of ['a', 'b', 'c']) await locks.enter({ name, ...ticket });
    const stored = db.collection<{ _id: string }>('locks');
    await stored.updateOne({ _id: 'b' }, { $set: { line: [] } });
    const listed = await locks.listLines({ limit: 2 });
    expect(listed.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('of another program is refused, and left as it is', async () => {
    await db.collection<{ _id: string }>('tasks').insertOne({ _id: 'theirs' });
    await expect(open()).rejects.toThrow(UnsuitableServer);
    await expect(open()).rejects.toThrow(/is of another program: it has documents in tasks/);
    expect(await db.collection('tasks').listIndexes().toArray()).toHaveLength(1);
  });
});
