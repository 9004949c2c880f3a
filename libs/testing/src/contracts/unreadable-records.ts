import assert from 'node:assert/strict';
import { isUnreadableEntry, type RecordReader, RecordUnreadable } from '#ports';
import type { RecordingObserver } from '../recording-observer.js';
import { sampleEntry } from './audit-log.js';
import { RECORD_SAMPLES, type RecordSamples } from './record-samples.js';
import { RECORD_SUBJECTS, type RecordPorts, type RecordSubject } from './record-subjects.js';
import { testRunner } from './runner.js';

/** A way to break a record of which one member is known by name. */
export type Breakage =
  | 'text that is not JSON'
  | 'member of a wrong type'
  | 'missing member'
  | 'newer format'
  | 'another version beside it'
  | 'another place beside it';

/** A record that is to be broken. */
export interface BreakOrder {
  readonly kind: string;
  readonly id: string;
  readonly member: string;
  readonly way: Breakage;
}

/** A store whose records somebody changes by hand. */
export interface BreakableRecords {
  readonly ports: RecordPorts;
  readonly unreadable: Pick<RecordReader, 'list'>;
  /** Records the notices of the store since it was opened last. */
  readonly observer: RecordingObserver;
  /** How records of a kind can be broken here. */
  waysOf(kind: string): readonly Breakage[];
  /** Breaks records, and opens the store again if it must. */
  breakAll(orders: readonly BreakOrder[]): Promise<BreakableRecords>;
  dispose(): Promise<void>;
}

/** Sound records behind the broken ones. */
const SOUND = 5;

/**
 * The rules for records that cannot be read, for every kind that a store keeps: they are in the way
 * of no other, they are told of once, and they are left as they are.
 */
export function unreadableRecordsContract(
  name: string,
  open: () => Promise<BreakableRecords>,
): void {
  const { describe, it } = testRunner();
  const rule = (what: string, body: (store: BreakableRecords) => Promise<BreakableRecords>): void =>
    it(what, async () => {
      let store = await open();
      try {
        store = await body(store);
      } finally {
        await store.dispose();
      }
    });
  describe(`records that cannot be read: ${name}`, () => {
    for (const subject of RECORD_SUBJECTS) {
      rule(`of the kind ${subject.kind}: all others are listed and found`, (store) =>
        hinderNobody(store, subject),
      );
    }
    rule('an entry of the audit log: its number is told', namesEntries);
    rule('an entry of the audit log: its hash is told where that can be read', keepsHash);
    for (const [kind, remedy] of Object.entries(REMEDIES)) {
      rule(`of the kind ${kind}: one that is gone or written anew is counted no more`, (store) =>
        forgetsMended(store, kind, remedy),
      );
    }
    for (const samples of RECORD_SAMPLES) {
      rule(`a ${samples.kind.name}: the very one that was read is replaced or removed`, (store) =>
        replacesBroken(store, samples),
      );
    }
    rule('a flow: whoever stores it anew makes the next version', storesAnew);
  });
}

async function hinderNobody(
  first: BreakableRecords,
  subject: RecordSubject,
): Promise<BreakableRecords> {
  const { idOf, kind, lists, member, read } = subject;
  const ways = first.waysOf(kind);
  assert.ok(ways.length > 0);
  await subject.fill(first.ports, ways.length + SOUND);
  const orders = ways.map((way, n) => ({ kind, id: idOf(n), member, way }));
  const store = await first.breakAll(orders);
  const sound = Array.from({ length: SOUND }, (_, n) => idOf(ways.length + n));
  for (const limit of [100, 2, 1]) {
    const found = await lists(store.ports, limit);
    for (const [list, ids] of Object.entries(found)) {
      assert.deepEqual(ids, sound.slice(0, limit), `${kind}, list ${list}, at most ${limit}`);
    }
  }
  for (const { id, way } of orders) {
    if (read === undefined) break;
    await assert.rejects(read(store.ports, id), (error: unknown) => {
      assert.ok(error instanceof RecordUnreadable, `${kind}, ${way}: ${String(error)}`);
      assert.deepEqual([error.kind, error.id], [kind, id]);
      assert.ok(!error.reason.includes('größe'), 'a reason quotes nothing');
      return true;
    });
  }
  const known = store.unreadable.list().map((record) => `${record.kind} ${record.id}`);
  assert.deepEqual(known.toSorted(), orders.map(({ id }) => `${kind} ${id}`).toSorted());
  const told = store.observer.notices.filter(({ name }) => name === 'unreadable_record');
  assert.deepEqual([...new Set(told.map(({ level }) => level))], ['warn']);
  assert.equal(told.length, orders.length);
  return store;
}

async function namesEntries(first: BreakableRecords): Promise<BreakableRecords> {
  const subject = subjectOf('audit_entry');
  await subject.fill(first.ports, 3);
  const { kind, member } = subject;
  const store = await first.breakAll([{ kind, id: '2', member, way: 'missing member' }]);
  const { audit } = store.ports;
  const entries = await audit.readEntries({ first: 'newest', limit: 10 });
  assert.deepEqual(
    Array.from(entries, (entry) => [entry.seq, isUnreadableEntry(entry)]),
    [
      [3, false],
      [2, true],
      [1, false],
    ],
  );
  return store;
}

async function keepsHash(first: BreakableRecords): Promise<BreakableRecords> {
  const { kind, member } = subjectOf('audit_entry');
  const hash = 'c'.repeat(64);
  const entries = [1, 2].map((seq) => ({ ...sampleEntry(seq), hash }));
  await first.ports.audit.appendEntries(entries);
  const way = 'member of a wrong type';
  const orders = [
    { kind, id: '1', member, way },
    { kind, id: '2', member: 'hash', way },
  ] as const;
  const store = await first.breakAll(orders);
  const found = await store.ports.audit.readEntries({ first: 'oldest', limit: 10 });
  assert.deepEqual(found, [
    { seq: 1, unreadable: 'actor is not a text', hash },
    { seq: 2, unreadable: 'hash is not a text' },
  ]);
  return store;
}

/** The calls that remove records of a kind or write them anew, unreadable ones too. */
const REMEDIES: Readonly<Record<string, (ports: RecordPorts) => Promise<unknown>>> = {
  audit_entry: async ({ audit }) => {
    await audit.appendEntries([sampleEntry(2)]);
    await audit.removeEntries(1);
  },
  ...Object.fromEntries(
    RECORD_SAMPLES.map(({ kind, sample }, n) => {
      const remedies = [
        ({ records }: RecordPorts) => records.put(kind, sample(0), 'any'),
        ({ records }: RecordPorts) => records.remove(kind, kind.idOf(sample(0)), 'any'),
        ({ records }: RecordPorts) => records.removeAll(kind, { limit: 10 }),
      ];
      return [kind.name, remedies[n % remedies.length]!] as const;
    }),
  ),
};

async function forgetsMended(
  first: BreakableRecords,
  kind: string,
  remedy: (ports: RecordPorts) => Promise<unknown>,
): Promise<BreakableRecords> {
  const { fill, idOf, lists, member } = subjectOf(kind);
  await fill(first.ports, 1);
  const way = 'member of a wrong type';
  const store = await first.breakAll([{ kind, id: idOf(0), member, way }]);
  await lists(store.ports, 10);
  assert.deepEqual(
    store.unreadable.list().map(({ id }) => id),
    [idOf(0)],
  );
  await remedy(store.ports);
  assert.deepEqual(store.unreadable.list(), []);
  return store;
}

function subjectOf(kind: string): RecordSubject {
  return RECORD_SUBJECTS.find((subject) => subject.kind === kind)!;
}

/** Every second one is replaced, the others are removed: each only while it is the one read. */
async function replacesBroken(
  first: BreakableRecords,
  { kind, member, sample }: RecordSamples,
): Promise<BreakableRecords> {
  const ways = first.waysOf(kind.name).flatMap((way) => [way, way]);
  await subjectOf(kind.name).fill(first.ports, ways.length + 1);
  const ids = ways.map((_, n) => kind.idOf(sample(n)));
  const orders = ways.map((way, n) => ({ kind: kind.name, id: ids[n]!, member, way }));
  const store = await first.breakAll(orders);
  const { records } = store.ports;
  const sound = sample(ways.length);
  for (const [n, id] of ids.entries()) {
    const broken: unknown = await records.get(kind, id).catch((error: unknown) => error);
    assert.ok(broken instanceof RecordUnreadable, String(broken));
    assert.equal(await records.put(kind, sound, broken), false);
    assert.equal(await records.remove(kind, kind.idOf(sound), broken), false);
    const isReplaced = n % 2 === 0;
    const write = isReplaced
      ? records.put(kind, sample(n), broken)
      : records.remove(kind, id, broken);
    assert.equal(await write, true);
    assert.deepEqual(await records.get(kind, id), isReplaced ? sample(n) : null);
    // Its text was sound, and is the same again.
    if (isReplaced && ways[n]!.endsWith('beside it')) continue;
    assert.equal(await records.put(kind, sample(n), broken), false);
    assert.equal(await records.remove(kind, id, broken), false);
  }
  assert.deepEqual(await records.get(kind, kind.idOf(sound)), sound);
  assert.deepEqual(store.unreadable.list(), []);
  return store;
}

async function storesAnew(first: BreakableRecords): Promise<BreakableRecords> {
  const subject = subjectOf('flow');
  await subject.fill(first.ports, 2);
  const orders = [0, 1].map((n) => {
    return { kind: subject.kind, id: subject.idOf(n), member: subject.member };
  });
  const way = 'member of a wrong type';
  const store = await first.breakAll(orders.map((order) => ({ ...order, way })));
  await subject.fill(store.ports, 1);
  const { definitions, flows } = store.ports;
  const { definition, hash } = (await flows.getFlow('record-000'))!;
  const saved = await flows.saveFlow(definition, hash, 1);
  assert.equal(saved.version, 2);
  const other = { ...definition, name: 'record-001' };
  const put = await definitions.putFlow({ definition: other, hash: 'h1', now: 1 });
  assert.deepEqual([put.kind, put.kind === 'stored' && put.flow.version], ['stored', 2]);
  assert.equal((await flows.getFlow('record-001', 2))?.definition.name, 'record-001');
  await assert.rejects(flows.getFlow('record-001', 1), RecordUnreadable);
  return store;
}
