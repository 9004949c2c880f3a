import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { NO_BEAT, type RecordKind, type SessionRecord } from '#ports';
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

const PLACES: Readonly<Record<Exclude<RecordKind, 'executor' | 'fault' | 'session'>, string>> = {
  schedule: COLLECTIONS.schedules,
  notification: COLLECTIONS.notifications,
  delivery: COLLECTIONS.deliveries,
  operation: COLLECTIONS.operations,
  key: COLLECTIONS.keys,
  audit_entry: COLLECTIONS.audit,
  flow: COLLECTIONS.flowVersions,
  command: COLLECTIONS.commands,
  drill: COLLECTIONS.drills,
  statistics: COLLECTIONS.statistics,
  lock: COLLECTIONS.locks,
};

/** Records that are one JSON text each. */
const TEXTS: ReadonlySet<RecordKind> = new Set<RecordKind>([
  'schedule',
  'notification',
  'delivery',
  'operation',
  'statistics',
]);

/** Those whose due time stands beside the text. */
const DUE: ReadonlySet<RecordKind> = new Set<RecordKind>(['schedule', 'delivery', 'operation']);

/** Those whose version stands beside the text. */
const NAMED: ReadonlySet<RecordKind> = new Set<RecordKind>(['schedule', 'notification']);

const MEMBERS: readonly Breakage[] = ['member of a wrong type', 'missing member', 'newer format'];

function waysOf(kind: RecordKind): readonly Breakage[] {
  if (TEXTS.has(kind)) return ['text that is not JSON', ...MEMBERS, ...besideText(kind)];
  if (kind === 'command') return ['text that is not JSON', 'member of a wrong type'];
  return kind === 'lock' ? ['member of a wrong type', 'missing member'] : MEMBERS;
}

function besideText(kind: RecordKind): readonly Breakage[] {
  return [
    ...(NAMED.has(kind) ? (['another version beside it'] as const) : []),
    ...(DUE.has(kind) ? (['another due time beside it'] as const) : []),
  ];
}

/** Where a member of a document is. */
function memberOf({ kind, member }: BreakOrder): string {
  if (kind === 'lock') return 'line';
  return kind === 'flow' ? `definition.${member}` : member;
}

function updateOf(order: BreakOrder, document: Document): Document {
  const { kind, member, way } = order;
  if (way === 'another version beside it') return { $set: { revision: ['7'] }, $unset: { id: 1 } };
  if (way === 'another due time beside it') return { $set: { dueAt: 'soon' } };
  if (TEXTS.has(kind)) return { $set: { record: brokenText(String(document['record']), order) } };
  if (way === 'missing member') return { $unset: { [memberOf(order)]: 1 } };
  if (way === 'newer format') return { $set: { [kind === 'flow' ? 'definition.v' : 'v']: 2 } };
  if (kind === 'command') return { $set: { [member]: way.startsWith('text') ? '{' : '[7]' } };
  return { $set: { [memberOf(order)]: kind === 'lock' ? 7 : [7] } };
}

function brokenText(text: string, { member, way }: BreakOrder): string {
  if (way === 'text that is not JSON') return '{"größe":';
  const { [member]: value, ...rest } = JSON.parse(text) as Record<string, unknown>;
  if (way === 'missing member') return JSON.stringify(rest);
  if (way === 'newer format') return JSON.stringify({ ...rest, [member]: value, v: 2 });
  return JSON.stringify({ ...rest, [member]: [7] });
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
      records: store.records,
      observer,
      waysOf,
      async breakAll(orders) {
        for (const order of orders) {
          const { id, kind } = order;
          const name = PLACES[kind as keyof typeof PLACES];
          const documents = db.collection<{ _id: string | number }>(name);
          const _id = kind === 'audit_entry' ? Number(id) : id;
          const document = (await documents.findOne({ _id }))!;
          await documents.updateOne({ _id }, updateOf(order, document));
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
    const { db, dispose, records, store } = await open();
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
    expect(records.list().map(({ id, kind }) => [kind, id])).toEqual([['executor', 'm@b']]);
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
    const { db, dispose, records, store } = await open();
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
    expect(records.list().map(({ kind }) => kind)).toEqual(['session', 'session', 'session']);
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
    expect(records.list().map(({ id }) => id)).toEqual(['7']);
    await dispose();
  });

  it('a switch that cannot be read strikes nobody and hides no other', async () => {
    const { db, dispose, store } = await open();
    const sound = { flow: 'f', step: 'a', kind: 'slow', delayMs: 5 } as const;
    await store.faults.putFault(sound);
    await store.faults.putFault({ ...sound, step: 'b' });
    const switches = db.collection<{ _id: string }>(COLLECTIONS.faults);
    await switches.updateOne({ _id: '["f","b"]' }, { $set: { kind: 'never' } });
    expect(await store.faults.listFaults()).toEqual([sound]);
    expect(await store.faults.findFault({ flow: 'f', step: 'b' })).toBeNull();
    expect(await store.faults.removeFault({ flow: 'f', step: 'b' })).toBe(true);
    await dispose();
  });
});

function sorted(records: readonly SessionRecord[]): readonly SessionRecord[] {
  return records.toSorted((a, b) => (a.session < b.session ? -1 : 1));
}

type Opened = Awaited<ReturnType<typeof openMongoStore>>;

function portsOf(store: Opened): Omit<BreakableRecords['ports'], 'flows'> {
  const { audit, definitions, deliveries, keys, locks } = store;
  const { drills, notifications, operations, schedules, statistics } = store;
  const more = { drills, notifications, operations, schedules, statistics };
  return { audit, definitions, deliveries, keys, locks, ...more };
}
