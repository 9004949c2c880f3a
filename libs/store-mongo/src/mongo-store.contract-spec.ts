import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import {
  type AuditLog,
  InvalidCursor,
  RECORD_KINDS,
  StoreUnavailable,
  type TaskQuery,
} from '#ports';
import {
  auditLogContract,
  type AuditLogFixture,
  FakeEntropy,
  RecordingObserver,
  sampleTask,
  storeContract,
  type StoreFixture,
  SystemClock,
} from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { storePlays } from '../../../test/fuzz/store-plays.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { CHANGE_ORDER, changeFilter } from './task-lists.js';
import { type MongoStore, openMongoStore, UnsuitableServer } from './index.js';
import type { KeyDocument } from './key-records.js';
import { LIST_INDEXES, planList } from './list-query.js';
import { type RecordDocument, selection } from './mongo-records.js';
import { CHANGE_INDEX, COLLECTIONS, OWNER_INDEX, WAKE_INDEX } from './migrations.js';
import type { TaskDocument } from './task-document.js';
import { DUE_ORDER, dueFilter, LIVE_COUNT, startedFilter } from './task-reader.js';

const clock = new SystemClock();
const observer = new RecordingObserver();
const HOUR_MS = 3_600_000;
/** Above the error of any measurement, far below an hour. */
const WRONG_MS = 5_000;
/** One for all stores: marks must never meet. */
const entropy = new FakeEntropy();
const chance = { newMark: () => entropy.newId(), random: () => entropy.random() };

interface MongoFixture extends StoreFixture {
  readonly audit: AuditLog;
  reopen(): Promise<MongoFixture>;
}

function auditOf({ audit, dispose, reopen }: MongoFixture): AuditLogFixture {
  return { audit, dispose, reopen: async () => auditOf(await reopen()) };
}

function portsOf(store: MongoStore): Omit<MongoFixture, 'dispose' | 'reopen'> {
  const { audit, changes, children, definitions, finals, locks, records } = store;
  const tasks = { tasks: store, started: store, flows: store, executors: store, sessions: store };
  return { ...tasks, audit, changes, children, definitions, finals, locks, records };
}

describeWith('MongoDB store', { servers: ['mongo'] }, () => {
  let server: MongoServer;
  let client: MongoClient;

  beforeAll(async () => {
    server = present(await startMongo());
    client = new MongoClient(server.url);
  }, 120_000);

  afterAll(async () => {
    await Promise.all(emptied.map((database) => client.db(database).dropDatabase()));
    await client?.close();
    await server?.stop();
  });

  const open = (database: string): Promise<MongoStore> =>
    openMongoStore({ url: server.url, database, clock, observer, ...chance });

  // A test of the contract takes less time than the making of a database with its indexes.
  const emptied: string[] = [];

  const openFixture = async (
    database = emptied.pop() ?? freshDatabase(),
  ): Promise<MongoFixture> => {
    const store = await open(database);
    return {
      ...portsOf(store),
      async reopen() {
        await store.close();
        return openFixture(database);
      },
      async dispose() {
        await store.close();
        await empty(client.db(database));
        emptied.push(database);
      },
    };
  };

  const inDatabase = async (body: (database: string) => Promise<void>): Promise<void> => {
    const database = freshDatabase();
    try {
      await body(database);
    } finally {
      await client.db(database).dropDatabase();
    }
  };

  auditLogContract('MongoDB', async () => auditOf(await openFixture()));
  storeContract('MongoDB', () => openFixture());
  storeKeeps(() => openFixture(), 15);
  storePlays(() => openFixture(), 12);

  describe('queries', () => {
    const manyFlows = Array.from({ length: 300 }, (_, n) => `flow-${n}`);
    const queries: readonly Omit<TaskQuery, 'limit'>[] = [
      {},
      { flow: 'a' },
      { statuses: [1, 2] },
      { flow: 'a', statuses: [1, 2, 5] },
      { labels: { team: 'db' } },
      { labels: { team: 'db', env: 'prod' }, flow: 'a', statuses: [2] },
      { createdAfter: 1, createdBefore: 9_000_000_000_000 },
      { waitsForPerson: true },
      { isOldestFirst: true },
      { isOldestFirst: true, flow: 'a', statuses: [1, 2] },
      { isOldestFirst: true, labels: { team: 'db' }, createdAfter: 1 },
      { waitsForPerson: true, flow: 'a', statuses: [2], labels: { team: 'db' } },
      { flows: manyFlows },
      { flows: manyFlows.slice(0, 100), statuses: [1, 2, 5] },
    ];

    it('no list reads what it does not show, or sorts in memory', () =>
      inDatabase(async (database) => {
        const store = await open(database);
        const labels = { team: 'db', env: 'prod' };
        const inserts = Array.from({ length: 8 }, () => sampleTask({ flow: 'a', labels }));
        await Promise.all(inserts.map((task) => store.insert(task)));
        const { nextCursor } = await store.list({ limit: 3 });
        const tasks = client.db(database).collection('tasks');
        for (const query of queries.flatMap((q) => [q, { ...q, cursor: nextCursor! }])) {
          const { filter, hint, order } = planList(query);
          const found = tasks
            .find(filter as Document, { hint })
            .sort(order)
            .limit(51);
          const stages = stagesOf(await found.explain('queryPlanner'));
          expect(stages).toContain('IXSCAN');
          expect(stages).not.toContain('COLLSCAN');
          expect(stages).not.toContain('SORT');
        }
        await store.close();
      }));

    it('due tasks and live counts come from indexes', () =>
      inDatabase(async (database) => {
        await (await open(database)).close();
        const tasks = client.db(database).collection('tasks');
        const due = tasks
          .find(dueFilter(5), { projection: { wakeAt: 1 } })
          .sort(DUE_ORDER)
          .limit(10);
        const plan = await due.explain('queryPlanner');
        expect(JSON.stringify(plan)).toContain(`"indexName":"${WAKE_INDEX}"`);
        expect(stagesOf(plan)).toContain('IXSCAN');
        expect(stagesOf(plan)).not.toContain('SORT');
        const counts = stagesOf(await tasks.aggregate(LIVE_COUNT).explain('queryPlanner'));
        expect(counts).toContain('IXSCAN');
        expect(counts).not.toContain('FETCH');
        const started = tasks.find(startedFilter('a') as Document, {
          hint: LIST_INDEXES.flowStatus,
        });
        expect(stagesOf(await started.explain('queryPlanner'))).toContain('IXSCAN');
      }));

    it('the index of holders has no task of which nothing runs', () =>
      inDatabase(async (database) => {
        await (await open(database)).close();
        const tasks = client.db(database).collection('tasks');
        const [index] = (await tasks.indexes()).filter(({ name }) => name === OWNER_INDEX);
        expect(index).toMatchObject({ key: { owners: 1 }, sparse: true });
        const held = tasks.find({ owners: 'one' }, { hint: OWNER_INDEX });
        const plan = await held.explain('queryPlanner');
        expect(JSON.stringify(plan)).toContain(`"indexName":"${OWNER_INDEX}"`);
      }));

    it('every list of records comes from its index, in its order', () =>
      inDatabase(async (database) => {
        await (await open(database)).close();
        for (const kind of RECORD_KINDS) {
          const records = client.db(database).collection<RecordDocument>(kind.plural);
          for (const [index, { of }] of Object.entries(kind.indexes)) {
            const query = { index, of: of.map(() => 'x'), limit: 5 };
            for (const more of [
              {},
              { isDescending: true as const },
              { after: { id: 'a', at: 5 } },
            ]) {
              const { filter, sort } = selection(kind, { ...query, ...more });
              const plan = await records.find(filter).sort(sort).explain('queryPlanner');
              expect([kind.name, JSON.stringify(plan)]).toEqual([
                kind.name,
                expect.stringContaining(`"indexName":"by_${index}"`),
              ]);
              expect(stagesOf(plan)).not.toContain('SORT');
            }
          }
        }
      }));

    it('no index is unique but those of ids, so that collections can be sharded by them', () =>
      inDatabase(async (database) => {
        const store = await open(database);
        await store.insert(sampleTask({ idempotencyKey: 'k' }));
        await store.close();
        const collections = await client.db(database).collections();
        expect(collections.map((each) => each.collectionName)).toContain(COLLECTIONS.keys);
        const indexes = await Promise.all(collections.map((each) => each.indexes()));
        const unique = indexes.flat().filter((index) => index.unique === true);
        expect(unique.map(({ name }) => name)).toEqual([]);
      }));

    it('an index of the same name over other members stops the start, which says what to do', () =>
      inDatabase(async (database) => {
        const tasks = client.db(database).collection(COLLECTIONS.tasks);
        await client.db(database).collection(COLLECTIONS.migrations).insertOne({ name: 'made' });
        await tasks.createIndex({ flow: 1 }, { name: WAKE_INDEX });
        const fault: unknown = await open(database).catch((error: unknown) => error);
        expect(String(fault)).toMatch(/has an index of tasks that is not the store's: .*by_wake/);
        expect(String(fault)).toContain('Drop that index (db.tasks.dropIndex) and start again');
      }));

    it('a key whose task was never stored gives its id to the next who asks', () =>
      inDatabase(async (database) => {
        const store = await open(database);
        const [lost, next] = [1, 2].map((n) => {
          return sampleTask({ idempotencyKey: 'k', parameters: { n } });
        });
        const { taskId } = lost!.plan;
        const keys = client.db(database).collection<KeyDocument>(COLLECTIONS.keys);
        await keys.insertOne({ _id: 'k', taskId });
        expect(await store.insert(next!)).toEqual({ kind: 'reserved', taskId });
        expect(await store.findByKey('k')).toBeNull();
        const again = sampleTask({ ...next!.plan, taskId });
        expect(await store.insert(again)).toEqual({ kind: 'inserted' });
        // The one that claimed it goes on after all.
        expect(await store.insert(lost!)).toEqual({ kind: 'present' });
        expect((await store.findByKey('k'))?.plan.parameters).toEqual({ n: 2 });
        await store.close();
      }));

    it('changes come from an index, in its order', () =>
      inDatabase(async (database) => {
        await (await open(database)).close();
        const tasks = client.db(database).collection<TaskDocument>(COLLECTIONS.tasks);
        const after = { at: 7, taskId: 'a' };
        for (const query of [{ from: 5 }, { from: 5, after }]) {
          const found = tasks
            .find(changeFilter(query), { hint: CHANGE_INDEX, projection: { changedAt: 1 } })
            .sort(CHANGE_ORDER);
          const stages = stagesOf(await found.explain('queryPlanner'));
          expect(stages).toContain('IXSCAN');
          expect(stages).not.toContain('SORT');
        }
      }));

    it('a cursor whose time no date can have is refused as one', () =>
      inDatabase(async (database) => {
        const store = await open(database);
        const cursor = Buffer.from('[1e300,"a"]').toString('base64url');
        await expect(store.list({ limit: 5, cursor })).rejects.toThrow(InvalidCursor);
        await store.close();
      }));
  });

  it('its clock tells the server’s time, whatever this machine’s is', () =>
    inDatabase(async (database) => {
      const machine = new SystemClock();
      machine.now = () => clock.now() - HOUR_MS;
      const store = await openMongoStore({
        url: server.url,
        database,
        clock: machine,
        observer,
        ...chance,
      });
      const before = store.clock.now();
      const { localTime } = await client.db('admin').command({ hello: 1 });
      const after = store.clock.now();
      expect(localTime.getTime()).toBeGreaterThan(before - WRONG_MS);
      expect(localTime.getTime()).toBeLessThan(after + WRONG_MS);
      await observer.tells('clock_differs');
      await store.close();
    }));

  describe('start', () => {
    it('many processes may start at once on an empty database', () =>
      inDatabase(async (database) => {
        const stores = await Promise.all(Array.from({ length: 6 }, () => open(database)));
        const idempotencyKey = 'k';
        const rivals = stores.map((store) => store.insert(sampleTask({ idempotencyKey })));
        const kinds = (await Promise.all(rivals)).map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'inserted')).toHaveLength(1);
        await Promise.all(stores.map((store) => store.close()));
      }));

    it('the proof leaves nothing behind', () =>
      inDatabase(async (database) => {
        await (await open(database)).close();
        expect(await client.db(database).collection('startup_proof').countDocuments()).toBe(0);
      }));

    it('an unknown format of a task is told, not guessed at', () =>
      inDatabase(async (database) => {
        const store = await open(database);
        const task = sampleTask();
        await store.insert(task);
        const tasks = client.db(database).collection<{ _id: string }>('tasks');
        await tasks.updateOne({ _id: task.plan.taskId }, { $set: { 'plan.v': 99 } });
        await expect(store.get(task.plan.taskId)).rejects.toThrow('unknown format 99');
        expect(await store.findDue(Number.MAX_SAFE_INTEGER, 5)).toEqual([]);
        await store.close();
      }));
  });

  it('a task that is too large is refused alone, and not as an outage', () =>
    inDatabase(async (database) => {
      const store = await open(database);
      const large = sampleTask({ parameters: { text: 'x'.repeat(17_000_000) } });
      const small = sampleTask();
      const [refused, stored] = await Promise.allSettled([
        store.insert(large),
        store.insert(small),
      ]);
      expect(refused.status).toBe('rejected');
      expect((refused as PromiseRejectedResult).reason).not.toBeInstanceOf(StoreUnavailable);
      expect(stored.status).toBe('fulfilled');
      await store.close();
    }));
});

describe('opening MongoDB', () => {
  const password = 'gehe1m%21';
  const open = (rest: string): Promise<MongoStore> => {
    const url = `mongodb://ann:${password}@${rest}`;
    return openMongoStore({ url, clock, observer, operationMs: 300, ...chance });
  };

  it.each(['127.0.0.1:1/db?w=1', '127.0.0.1:1/db?journal=false', ':99999/db', '127.0.0.1:1/?x=1'])(
    'a URL that cannot be used is refused without its password: %s',
    async (rest) => {
      const error = await open(rest).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnsuitableServer);
      expect(everythingIn(error)).not.toMatch(/gehe1m/);
    },
  );

  it('a server that is not there is an outage, told without the password', async () => {
    const error = await open('127.0.0.1:1/db').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(everythingIn(error)).not.toMatch(/gehe1m/);
  });
});

/** Sample tasks have ids that are new in every run: the server may be shared with other runs. */
function freshDatabase(): string {
  return `backstep_${sampleTask().plan.taskId}`;
}

/** Removes all documents but those that say which migrations the collections have. */
async function empty(database: Db): Promise<void> {
  const collections = await database.collections();
  const kept = collections.filter((each) => each.collectionName !== COLLECTIONS.migrations);
  await Promise.all(kept.map((each) => each.deleteMany()));
}

/** Names of all stages of a query's plan. */
function stagesOf(explained: unknown): readonly string[] {
  const stages: string[] = [];
  JSON.stringify(winningPlan(explained as Document), (key, value: unknown) => {
    if (key === 'stage') stages.push(String(value));
    return value;
  });
  return stages;
}

function winningPlan(explained: Document): unknown {
  const first = (explained['stages'] as Document[] | undefined)?.[0];
  const planner: Document = explained['queryPlanner'] ?? first?.['$cursor'].queryPlanner;
  return planner['winningPlan'];
}

function everythingIn(error: unknown): string {
  const { message, stack, cause } = error as Error;
  const more = cause === undefined ? '' : everythingIn(cause);
  return [message, stack, JSON.stringify(error), more].join('\n');
}
