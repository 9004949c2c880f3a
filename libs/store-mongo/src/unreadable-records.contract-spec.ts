import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { FAULT, NO_BEAT, RECORD_KINDS, recordsOf, type SessionRecord } from '#ports';
import {
  type BreakableRecords,
  type Breakage,
  type BreakOrder,
  FakeEntropy,
  RecordingObserver,
  sampleEntry,
  sampleTask,
  SystemClock,
  unreadableRecordsContract,
} from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { openMongoStore } from './index.js';
import { COLLECTIONS } from './migrations.js';

const PLACES: Readonly<Record<string, string>> = {
  audit_entry: COLLECTIONS.audit,
  flow: COLLECTIONS.flowVersions,
  lock: COLLECTIONS.locks,
  ...Object.fromEntries(RECORD_KINDS.map(({ name, plural }) => [name, plural])),
};

const MEMBERS: readonly Breakage[] = ['member of a wrong type', 'missing member', 'newer format'];

function waysOf(kind: string): readonly Breakage[] {
  return kind === 'lock' ? ['member of a wrong type', 'missing member'] : MEMBERS;
}

/** Where a member of a document is. */
function memberOf({ kind, member }: BreakOrder): string {
  if (kind === 'lock') return 'line';
  return kind === 'flow' ? `definition.${member}` : member;
}

function updateOf(order: BreakOrder): Document {
  const { kind, way } = order;
  if (way === 'missing member') return { $unset: { [memberOf(order)]: 1 } };
  if (way === 'newer format') return { $set: { [kind === 'flow' ? 'definition.v' : 'v']: 2 } };
  return { $set: { [memberOf(order)]: kind === 'lock' ? 7 : [7] } };
}

describeWith('MongoDB store, records broken by hand', { servers: ['mongo'] }, () => {
  const entropy = new FakeEntropy();
  let server: MongoServer;
  let client: MongoClient;

  beforeAll(async () => {
    server = present(await startMongo());
    client = new MongoClient(server.url);
  }, 120_000);

  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  const open = async () => {
    const database = `backstep_${sampleTask().plan.taskId}`;
    const observer = new RecordingObserver();
    const chance = { newMark: () => entropy.newId(), random: () => entropy.random() };
    const clock = new SystemClock();
    const options = { url: server.url, database, clock, observer, ...chance };
    const store = await openMongoStore(options);
    const db = client.db(database);
    const breakable: BreakableRecords = {
      ports: { ...portsOf(store), flows: store },
      unreadable: store.unreadable,
      observer,
      waysOf,
      async breakAll(orders) {
        for (const order of orders) {
          const { id, kind } = order;
          const documents = db.collection<{ _id: string | number }>(PLACES[kind]!);
          const _id = kind === 'audit_entry' ? Number(id) : id;
          await documents.updateOne({ _id }, updateOf(order));
        }
        return breakable;
      },
      async dispose() {
        await store.close();
        await db.dropDatabase();
      },
    };
    return { ...breakable, db, store };
  };

  unreadableRecordsContract('MongoDB', open);

  it('an executor that cannot be read hides no other', async () => {
    const { db, dispose, unreadable, store } = await open();
    const sound = {
      instance: 'a',
      module: 'm',
      version: '1',
      host: 'h',
      pid: 1,
      commands: [],
      since: 1,
      busy: 0,
      slots: 1,
      seenAt: 5,
    };
    await store.announce(sound);
    await store.announce({ ...sound, instance: 'b', parameters: { c: {} } });
    const announced = db.collection<{ _id: string }>(COLLECTIONS.executors);
    await announced.updateOne({ _id: 'm@b' }, { $set: { parameters: '{' } });
    expect(await store.listExecutors(1)).toEqual([sound]);
    expect(unreadable.list().map(({ id, kind }) => [kind, id])).toEqual([['executor', 'm@b']]);
    await dispose();
  });

  it('the audit log goes on by numbers, whatever else is an id', async () => {
    const { db, dispose, store } = await open();
    const { audit } = store;
    await audit.appendEntries([sampleEntry(1), sampleEntry(2)]);
    const documents = db.collection<{ _id: unknown }>(COLLECTIONS.audit);
    const { seq: _, ...entry } = sampleEntry(3);
    for (const _id of ['x', Number.NaN, 0, -1, true]) await documents.insertOne({ ...entry, _id });
    expect(await audit.appendEntries([sampleEntry(3)])).toBe(1);
    const seqs = async (first: 'newest' | 'oldest', beyond?: number) => {
      const found = await audit.readEntries({ first, limit: 9, ...(beyond && { beyond }) });
      return found.map(({ seq }) => seq);
    };
    expect(await seqs('newest')).toEqual([3, 2, 1]);
    expect(await seqs('oldest')).toEqual([1, 2, 3]);
    expect(await seqs('newest', 3)).toEqual([2, 1]);
    expect(await seqs('oldest', 1)).toEqual([2, 3]);
    await dispose();
  });

  it.each<readonly [string, Document]>([
    ['a beat that is a text', { $set: { beat: 'x' } }],
    ['a beat that is no number', { $set: { beat: Number.NaN } }],
    ['no beat', { $unset: { beat: 1 } }],
    ['a lease that is a text', { $set: { leaseMs: '1s' } }],
  ])('a session with %s is judged, ended where nobody renews it, and renewed', async (_, how) => {
    const { db, dispose, unreadable, store } = await open();
    await store.openSession('dead', 500);
    await store.openSession('alive', 700);
    const sessions = db.collection<{ _id: unknown }>(COLLECTIONS.sessions);
    await sessions.updateMany({}, how);
    await sessions.insertOne({ _id: 7 });
    const broken = { beat: NO_BEAT, leaseMs: 700, isOver: false };
    expect(sorted(await store.listSessions())).toEqual([
      { session: 'alive', ...broken },
      { session: 'dead', ...broken },
    ]);
    expect(unreadable.list().map(({ kind }) => kind)).toEqual(['session', 'session', 'session']);
    expect(await store.renewSession('alive')).toBe('alive');
    expect(await store.endSession('alive', NO_BEAT)).toBe(false);
    const beat = sorted(await store.listSessions())[0]!.beat;
    expect(await store.renewSession('alive')).toBe('alive');
    expect(await store.endSession('alive', beat)).toBe(false);
    expect(await store.endSession('alive', beat + 1)).toBe(true);
    expect(await store.renewSession('alive')).toBe('ended');
    expect(await store.endSession('dead', 1)).toBe(false);
    expect(await store.endSession('dead', NO_BEAT)).toBe(true);
    expect(await store.renewSession('dead')).toBe('ended');
    const over = (await store.listSessions()).map(({ isOver }) => isOver);
    expect(over).toEqual([true, true]);
    await store.forgetSession('dead');
    expect(unreadable.list().map(({ id }) => id)).toEqual(['7']);
    await dispose();
  });

  it('a switch that cannot be read strikes nobody and hides no other', async () => {
    const { db, dispose, store } = await open();
    const sound = { flow: 'f', step: 'a', kind: 'slow', delayMs: 5 } as const;
    const faults = recordsOf(store.records, FAULT);
    await faults.put(sound, null);
    await faults.put({ ...sound, step: 'b' }, null);
    const switches = db.collection<{ _id: string }>(FAULT.plural);
    await switches.updateOne({ _id: '["f","b"]' }, { $set: { kind: 'never' } });
    expect(await faults.list({ limit: 9 })).toEqual([sound]);
    expect(await faults.remove('["f","b"]', 'any')).toBe(true);
    await dispose();
  });
});

function sorted(records: readonly SessionRecord[]): readonly SessionRecord[] {
  return records.toSorted((a, b) => (a.session < b.session ? -1 : 1));
}

type Opened = Awaited<ReturnType<typeof openMongoStore>>;

function portsOf(store: Opened): Omit<BreakableRecords['ports'], 'flows'> {
  const { audit, definitions, locks, records } = store;
  return { audit, definitions, locks, records };
}
