import assert from 'node:assert/strict';
import type { JsonObject } from '#core';
import { COUNT, FLAG, MOMENT, NUMBERED, OBJECT, orNull, TEXT } from '#core/json';
import { allOf, placeIn, RECORD_KINDS, recordKind, recordsOf, sharedSecret } from '#ports';
import type { RecordQuery, Records } from '#ports';
import { RECORD_SAMPLES, type RecordSamples } from './record-samples.js';
import { SAMPLE_TIME } from './sample-task.js';
import type { StoreFixture, StoreRule } from './store-fixture.js';

/** A record of a kind that no store has heard of. */
interface Errand {
  readonly name: string;
  /** New with every errand under a name that was free. */
  readonly id: string;
  readonly revision: number;
  readonly to: string;
  readonly by: string;
  readonly urgency: number;
  readonly dueAt: number | null;
  readonly isOpen: boolean;
  readonly cargo: JsonObject;
}

type ErrandIndex = 'due' | 'open' | 'to' | 'way';

const ERRAND = recordKind<Errand, ErrandIndex>({
  name: 'errand',
  plural: 'errands',
  shape: {
    name: TEXT,
    id: TEXT,
    revision: NUMBERED,
    to: TEXT,
    by: TEXT,
    urgency: COUNT,
    dueAt: orNull(MOMENT),
    isOpen: FLAG,
    cargo: OBJECT,
  },
  idOf: ({ name }) => name,
  version: ['id', 'revision'],
  moments: ['dueAt'],
  indexes: {
    due: { of: [], by: 'dueAt' },
    to: { of: ['to'], by: 'urgency' },
    way: { of: ['to', 'by'], by: 'urgency' },
    open: { of: ['to'], by: 'urgency', where: 'isOpen' },
  },
});

/** The same names as errands. */
const NAMESAKE = recordKind<Pick<Errand, 'name'>>({
  name: 'namesake',
  plural: 'namesakes',
  shape: { name: TEXT },
  idOf: ({ name }) => name,
  indexes: {},
});

function errand(name: string, more: Partial<Errand> = {}): Errand {
  return {
    name,
    id: `id of ${name}`,
    revision: 1,
    to: 'x',
    by: 'road',
    urgency: 1,
    dueAt: null,
    isOpen: false,
    cargo: {},
    ...more,
  };
}

/** The next document of an errand. */
function after(record: Errand, more: Partial<Errand> = {}): Errand {
  return { ...record, ...more, revision: record.revision + 1 };
}

function errandsIn({ records }: Pick<StoreFixture, 'records'>): Records<Errand, ErrandIndex> {
  return recordsOf(records, ERRAND);
}

async function putAll(
  errands: Records<Errand, ErrandIndex>,
  all: readonly Errand[],
): Promise<void> {
  for (const one of all) assert.equal(await errands.put(one, null), true);
}

/** Rules of records of all kinds, and of one that is made up. */
export function describeRecords(rule: StoreRule): void {
  describeWrites(rule);
  describeLists(rule);
  describeKinds(rule);
}

function describeWrites(rule: StoreRule): void {
  rule('a record comes back as it was stored, also after a restart', async (store) => {
    const marks = ['\u0000', '\ud800', '\ufffd', '\ufffd{', '"é\''];
    const odd = ['$', '$a', 'a.b', '.', '', '_bsontype', '__proto__', ...marks];
    const names: JsonObject = Object.fromEntries(odd.map((text) => [text, [text, 1.5, null]]));
    let deep: JsonObject = { text: '\ufffd[' };
    for (let n = 0; n < 150; n += 1) deep = n % 2 === 0 ? { deep } : { list: [deep, '\ud800'] };
    const numbers = { large: 2 ** 53 - 1, small: -1e-7, none: 0, huge: 1e300 };
    const cargo: JsonObject = { names, deep, numbers, empty: {}, list: [], yes: true };
    const all = odd.map((text) =>
      errand(`\u00e9 ${text}`, { cargo, dueAt: SAMPLE_TIME, to: text }),
    );
    await putAll(errandsIn(store), all);
    const errands = errandsIn(await store.reopen());
    for (const one of all) assert.deepEqual(await errands.get(one.name), one);
    for (const one of all) {
      assert.deepEqual(await errands.list({ index: 'to', of: [one.to], limit: 9 }), [one]);
    }
    assert.equal(await errands.get('none'), null);
  });

  rule('a record is written in the place of the one that was read alone', async (store) => {
    const errands = errandsIn(store);
    const first = errand('s');
    assert.equal(await errands.put(first, null), true);
    assert.equal(await errands.put(first, null), false);
    const second = after(first, { urgency: 2 });
    assert.equal(await errands.put(second, first), true);
    assert.equal(await errands.put(after(first, { urgency: 3 }), first), false);
    assert.deepEqual(await errands.get('s'), second);
    assert.equal(await errands.remove('s', first), false);
    assert.equal(await errands.remove('s', { id: second.id, revision: 2 }), true);
    assert.equal(await errands.remove('s', second), false);
    assert.equal(await errands.remove('s', 'any'), false);
    assert.equal(await errands.put(after(second), second), false);
    assert.equal(await errands.get('s'), null);
  });

  rule('a record of the same name and revision is another one', async (store) => {
    const errands = errandsIn(store);
    const old = errand('s', { id: 'old' });
    await errands.put(old, null);
    assert.equal(await errands.remove('s', old), true);
    const fresh = errand('s', { id: 'fresh' });
    await errands.put(fresh, null);
    assert.equal(await errands.put(after(old), old), false);
    assert.equal(await errands.remove('s', old), false);
    assert.deepEqual(await errands.get('s'), fresh);
  });

  rule('of many who write a record at once one wins', async (store) => {
    const errands = errandsIn(store);
    const rivals = Array.from({ length: 20 }, (_, n) => errand('s', { id: `${n}` }));
    const stored = await Promise.all(rivals.map((rival) => errands.put(rival, null)));
    assert.deepEqual(stored.filter(Boolean), [true]);
    const winner = rivals[stored.indexOf(true)]!;
    assert.deepEqual(await errands.get('s'), winner);
    const nexts = rivals.map((_, n) => after(winner, { urgency: n }));
    const moved = await Promise.all(nexts.map((next) => errands.put(next, winner)));
    assert.deepEqual(moved.filter(Boolean), [true]);
    assert.deepEqual(await errands.get('s'), nexts[moved.indexOf(true)]);
    const gone = await Promise.all(rivals.map(() => errands.remove('s', 'any')));
    assert.deepEqual(gone.filter(Boolean), [true]);
  });

  rule('where any is as good, the last that is written stays', async (store) => {
    const errands = errandsIn(store);
    const all = Array.from({ length: 20 }, (_, n) => errand('s', { urgency: n }));
    const stored = await Promise.all(all.map((one) => errands.put(one, 'any')));
    assert.deepEqual(new Set(stored), new Set([true]));
    assert.equal(await errands.put(errand('s', { urgency: 99 }), 'any'), true);
    assert.deepEqual(await errands.list({ limit: 9 }), [errand('s', { urgency: 99 })]);
    assert.equal((await errands.list({ index: 'to', of: ['x'], limit: 9 })).length, 1);
  });

  rule('records of two kinds never meet', async (store) => {
    const errands = errandsIn(store);
    const namesakes = recordsOf(store.records, NAMESAKE);
    await errands.put(errand('s'), null);
    assert.equal(await namesakes.put({ name: 's' }, null), true);
    assert.equal(await namesakes.remove('s', 'any'), true);
    assert.deepEqual(await errands.get('s'), errand('s'));
    await namesakes.put({ name: 't' }, 'any');
    assert.equal(await errands.removeAll({ limit: 9 }), 1);
    assert.deepEqual(await namesakes.list({ limit: 9 }), [{ name: 't' }]);
  });
}

function describeLists(rule: StoreRule): void {
  const namesIn = async (
    errands: Records<Errand, ErrandIndex>,
    query: Omit<RecordQuery<ErrandIndex>, 'limit'>,
    limit = 9,
  ): Promise<string> => (await errands.list({ ...query, limit })).map(({ name }) => name).join(' ');

  rule('records are listed by their ids, page after page', async (store) => {
    const errands = errandsIn(store);
    const names = ['B', 'a', 'a-1', 'a.b', 'a_b', 'b'];
    await putAll(
      errands,
      names.toReversed().map((name) => errand(name)),
    );
    assert.equal(await namesIn(errands, {}, 3), 'B a a-1');
    assert.equal(await namesIn(errands, { after: { id: 'a-1' } }, 2), 'a.b a_b');
    assert.equal(await namesIn(errands, { after: { id: 'a.b' } }), 'a_b b');
    assert.deepEqual(await allOf(errands), await errands.list({ limit: 9 }));
  });

  rule('records are found that are due, the earliest first', async (store) => {
    const errands = errandsIn(store);
    const dues = [300, 100, null, 200, 400, 300];
    await putAll(
      errands,
      dues.map((dueAt, n) => errand(`s${n}`, { dueAt })),
    );
    const due = { index: 'due', upTo: 300 } as const;
    assert.equal(await namesIn(errands, due), 's1 s3 s0 s5');
    assert.equal(await namesIn(errands, due, 2), 's1 s3');
    const first = (await errands.get('s1'))!;
    await errands.put(after(first, { dueAt: null }), first);
    assert.equal(await namesIn(errands, due), 's3 s0 s5');
    assert.equal(await namesIn(errands, { index: 'due', upTo: 99 }), '');
    assert.equal(await namesIn(errands, { index: 'due', from: 201 }), 's0 s5 s4');
    await errands.remove('s0', 'any');
    assert.equal(await namesIn(errands, { ...due, upTo: Infinity }), 's3 s5 s4');
  });

  rule('records that are alike are listed by a number, either way', async (store) => {
    const errands = errandsIn(store);
    const urgencies = { a: 1, b: 3, c: 2, d: 2, e: 2 };
    const all = Object.entries(urgencies).map(([name, urgency]) => errand(name, { urgency }));
    await putAll(errands, [...all, errand('other', { to: 'y', urgency: 2 })]);
    const up = { index: 'to', of: ['x'] } as const;
    const down = { ...up, isDescending: true } as const;
    assert.equal(await namesIn(errands, up), 'a c d e b');
    assert.equal(await namesIn(errands, down), 'b e d c a');
    assert.equal(await namesIn(errands, { ...up, after: { at: 2, id: 'c' } }, 2), 'd e');
    assert.equal(await namesIn(errands, { ...down, after: { at: 2, id: 'd' } }), 'c a');
    assert.equal(await namesIn(errands, { ...down, after: { at: 1, id: 'a' } }), '');
    assert.equal(await namesIn(errands, { ...down, skip: 1 }, 2), 'e d');
    assert.equal(await namesIn(errands, { ...down, upTo: 2, from: 2 }), 'e d c');
    assert.equal(await namesIn(errands, { ...down, upTo: 1 }, 1), 'a');
    assert.equal(await namesIn(errands, { index: 'to', of: ['none'] }), '');
  });

  rule('records are alike in several members, in one of several, or where one holds', async (s) => {
    const errands = errandsIn(s);
    await putAll(errands, [
      errand('a', { isOpen: true }),
      errand('b', { by: 'sea' }),
      errand('c', { to: 'y', isOpen: true, urgency: 2 }),
      errand('d', { to: 'z', isOpen: true }),
    ]);
    assert.equal(await namesIn(errands, { index: 'way', of: ['x', 'road'] }), 'a');
    assert.equal(await namesIn(errands, { index: 'way', of: ['road', 'x'] }), '');
    assert.equal(await namesIn(errands, { index: 'open', anyOf: ['x', 'y', 'none'] }), 'a c');
    assert.equal(await namesIn(errands, { index: 'open', anyOf: [] }), '');
    assert.equal(await namesIn(errands, { index: 'open', of: ['z'] }), 'd');
    const first = (await errands.get('a'))!;
    await errands.put(after(first, { isOpen: false }), first);
    assert.equal(await namesIn(errands, { index: 'open', anyOf: ['x', 'y'] }), 'c');
    assert.equal(await namesIn(errands, { index: 'to', anyOf: ['x', 'y'] }), 'a b c');
  });

  rule('what a list has is removed, so many at a time', async (store) => {
    const errands = errandsIn(store);
    await putAll(
      errands,
      ['a', 'b', 'c', 'd', 'e'].map((name, urgency) => errand(name, { urgency })),
    );
    await errands.put(errand('other', { to: 'y' }), null);
    const alike = { index: 'to', of: ['x'] } as const;
    assert.equal(await errands.removeAll({ ...alike, upTo: 2, limit: 2 }), 2);
    assert.equal(await errands.removeAll({ ...alike, upTo: 2, limit: 2 }), 1);
    assert.equal(await errands.removeAll({ ...alike, upTo: 2, limit: 2 }), 0);
    assert.equal(await errands.removeAll({ ...alike, isDescending: true, skip: 1, limit: 9 }), 1);
    const again = errandsIn(await store.reopen());
    assert.equal(await namesIn(again, {}), 'e other');
    assert.equal(await again.put(errand('d'), null), true);
  });
}

function describeKinds(rule: StoreRule): void {
  for (const { kind } of RECORD_SAMPLES) {
    assert.ok(RECORD_KINDS.includes(kind), `${kind.name} is not among the kinds of records`);
  }
  assert.equal(RECORD_SAMPLES.length, RECORD_KINDS.length);

  rule(
    'records of every kind come back, also after a restart, and are in their lists',
    async (s) => {
      for (const { kind, more = [], sample } of RECORD_SAMPLES) {
        for (const record of [sample(0), sample(1), ...more]) {
          assert.equal(await s.records.put(kind, record, null), true);
        }
      }
      const { records } = await s.reopen();
      for (const { kind, more = [], sample } of RECORD_SAMPLES) {
        for (const record of [sample(0), sample(1), ...more]) {
          assert.deepEqual(await records.get(kind, kind.idOf(record)), record);
        }
      }
      for (const samples of RECORD_SAMPLES) await expectListed({ records }, samples);
    },
  );

  rule('a secret that is shared stays as it was first, also after a restart', async (store) => {
    const secret = (name: string, fresh: string): Promise<string> =>
      sharedSecret(store.records, name, fresh);
    const both = await Promise.all([secret('a', '1'), secret('a', '2')]);
    assert.equal(new Set(both).size, 1);
    assert.equal(await secret('b', '3'), '3');
    const reopened = await store.reopen();
    assert.equal(await sharedSecret(reopened.records, 'a', '4'), both[0]);
  });
}

async function expectListed(
  { records }: Pick<StoreFixture, 'records'>,
  { kind, sample }: RecordSamples,
): Promise<void> {
  const [first, second] = [sample(0), sample(1)];
  for (const [index, place] of Object.entries(kind.indexes)) {
    const { at, of } = placeIn(place, first)!;
    const isBoth = placeIn(place, second)?.of.join() === of.join();
    const expected = isBoth ? [first, second] : [first];
    const found = await records.list(kind, { index, of, from: at, upTo: at + 1, limit: 2 });
    assert.deepEqual(found, expected, `${kind.name} by ${index}`);
  }
}
