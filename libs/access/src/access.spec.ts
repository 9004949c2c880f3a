import { describe, expect, it } from '@jest/globals';
import { type KeyRecord, type Role, ROLES, StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore, settle } from '#testing';
import { type KeyOrder, makeKey } from './key-order.js';
import { isSecretOf, KeyRing, readKey } from './key-ring.js';
import { fitsPattern } from './pattern.js';
import { EVERYBODY, hasRightsOf, needOf, seesModule, seesTask } from './principal.js';

const SECRET = { id: '0123456789abcdef', secret: 'x'.repeat(43) };
const ORDER: KeyOrder = { name: 'ci', role: 'starter' };

function recordOf(order: Partial<KeyOrder> = {}): KeyRecord {
  return makeKey({ ...ORDER, ...order }, SECRET, 1_000).record;
}

describe('a pattern', () => {
  it.each([
    ['create-*', 'create-db', true],
    ['create-*', 'create-', true],
    ['create-*', 'recreate-db', false],
    ['*', '', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'axxbyyc', true],
    ['a*a', 'a', false],
    ['a*ba', 'aba', true],
    ['a.c', 'abc', false],
    ['plain', 'plain', true],
    ['plain', 'plainer', false],
    ['*-db', 'create-db', true],
  ])('%s and %s', (pattern, text, fits) => {
    expect(fitsPattern(pattern, text)).toBe(fits);
  });
});

describe('a role', () => {
  it('has the rights of those below it; a worker has its own alone', () => {
    const rightsOf = (role: Role): readonly Role[] => ROLES.filter((r) => hasRightsOf(role, r));
    expect(rightsOf('viewer')).toEqual(['viewer']);
    expect(rightsOf('operator')).toEqual(['viewer', 'starter', 'operator']);
    expect(rightsOf('author')).toEqual(['viewer', 'starter', 'operator', 'author']);
    expect(rightsOf('worker')).toEqual(['worker']);
    expect(rightsOf('admin')).toEqual(ROLES);
  });
});

describe('a key', () => {
  it('is kept as a hash only, and found again by its text', () => {
    const { record, text } = makeKey(ORDER, SECRET, 1_000);
    expect(text).toBe(`bsk_${SECRET.id}_${SECRET.secret}`);
    expect(readKey(text)).toEqual(SECRET);
    expect(JSON.stringify(record)).not.toContain(SECRET.secret);
    expect(isSecretOf(record.hash, SECRET.secret)).toBe(true);
    expect(isSecretOf(record.hash, 'y'.repeat(43))).toBe(false);
  });

  it.each(['', 'bsk_', 'bsk_0123_x', `bsk_0123456789abcdef_${'x'.repeat(44)}`])(
    'is not %j',
    (text) => expect(readKey(text)).toBeNull(),
  );

  it('has its limits and its end', () => {
    const labels = { team: 'payments' };
    const record = recordOf({
      flows: 'create-*, delete-*',
      labels,
      modules: ['m'],
      expires: '90d',
    });
    expect(record).toMatchObject({ flows: ['create-*', 'delete-*'], labels, modules: ['m'] });
    expect(record.expiresAt).toBe(1_000 + 90 * 86_400_000);
  });

  it.each([
    ['name', { name: 'backstep' }],
    ['name', { name: 'mysql-0123abcd' }],
    ['name', { name: 'two words' }],
    ['role', { role: 'root' }],
    ['flows', { flows: '' }],
    ['modules', { modules: ['a', 'b?'] }],
    ['expires', { expires: 'soon' }],
    ['expires', { expires: '0d' }],
  ])('with a wrong %s is refused', (member, wrong) => {
    expect(() => recordOf(wrong)).toThrow(expect.objectContaining({ member }));
  });
});

describe('what somebody sees', () => {
  const limits = { flows: ['create-*'], labels: { team: 'a' }, modules: null };

  it('is what fits every limit', () => {
    expect(seesTask(limits, { flow: 'create-x', labels: { team: 'a', b: 'c' } })).toBe(true);
    expect(seesTask(limits, { flow: 'delete-x', labels: { team: 'a' } })).toBe(false);
    expect(seesTask(limits, { flow: 'create-x', labels: { team: 'b' } })).toBe(false);
    expect(seesTask(limits, { flow: 'create-x', labels: {} })).toBe(false);
    expect(seesTask(EVERYBODY, { flow: 'delete-x', labels: {} })).toBe(true);
  });

  it('has pages of modules only where they show nothing of hidden tasks', () => {
    expect(seesModule(EVERYBODY, 'resource')).toBe(true);
    expect(seesModule(limits, 'resource')).toBe(false);
    expect(seesModule({ ...limits, modules: ['res*'] }, 'resource')).toBe(true);
    expect(seesModule({ ...limits, modules: ['mysql'] }, 'resource')).toBe(false);
  });
});

describe('a route that declares no need', () => {
  it('is for admins, or to read for viewers; a page of a module by its name', () => {
    expect(needOf('POST', '/mine')).toEqual({ role: 'admin', about: 'all' });
    expect(needOf('GET', '/mine')).toEqual({ role: 'viewer', about: 'all' });
    expect(needOf('HEAD', '/modules/lab/effects')).toEqual({ role: 'viewer', about: 'module' });
    const fault = '/modules/lab/faults/{flow}/{step}';
    expect(needOf('POST', fault)).toEqual({ role: 'admin', about: 'all' });
    expect(needOf('GET', '/console/tasks')).toEqual({ role: 'none' });
    expect(needOf('GET', '/consoles')).toEqual({ role: 'viewer', about: 'all' });
  });
});

describe('a ring of keys', () => {
  async function ringWith(order: Partial<KeyOrder> = {}) {
    const [clock, store] = [new ManualClock(), new MemoryStore()];
    const { record, text } = makeKey({ ...ORDER, ...order }, SECRET, clock.now());
    await store.keys.put(record, null);
    return { clock, store, text, ring: new KeyRing({ keys: store.keys, clock }) };
  }

  it('answers at once about a key that it read lately, and reads it again after two seconds', async () => {
    const { clock, ring, store, text } = await ringWith();
    expect(await ring.find(text)).toMatchObject({ name: 'ci', role: 'starter', keyId: SECRET.id });
    expect(ring.find(text)).toMatchObject({ name: 'ci' });
    await store.keys.remove(SECRET.id, 'any');
    expect(ring.find(text)).toMatchObject({ name: 'ci' });
    await clock.advance(2_000);
    expect(await ring.find(text)).toBeNull();
  });

  it('does not take another secret of the same key', async () => {
    const { ring, text } = await ringWith();
    await ring.find(text);
    expect(ring.find(`${text.slice(0, -1)}y`)).toBeNull();
  });

  it('takes a key until it expires', async () => {
    const { clock, ring, text } = await ringWith({ expires: '1500ms' });
    expect(await ring.find(text)).not.toBeNull();
    await clock.advance(1_499);
    expect(ring.find(text)).not.toBeNull();
    await clock.advance(1);
    expect(ring.find(text)).toBeNull();
  });

  it('says whether somebody who is in would be let in again', async () => {
    const { ring, store, text } = await ringWith();
    const principal = (await ring.find(text))!;
    expect(await ring.isGood(principal)).toBe(true);
    await store.keys.remove(SECRET.id, 'any');
    expect(await ring.isGood(principal)).toBe(false);
    expect(await ring.isGood(EVERYBODY)).toBe(true);
  });

  it('believes what it read while the store does not answer, for a minute', async () => {
    const { clock, ring, store, text } = await ringWith();
    await ring.find(text);
    store.down = true;
    await clock.advance(59_000);
    expect(await ring.find(text)).toMatchObject({ name: 'ci' });
    await clock.advance(1_000);
    await expect(ring.find(text)).rejects.toThrow(StoreUnavailable);
  });

  it('notes the use of a key once a minute', async () => {
    const { clock, ring, store, text } = await ringWith();
    const from = clock.now();
    const usedAt = async () => (await store.keys.get(SECRET.id))?.usedAt;
    await ring.find(text);
    await settle();
    expect(await usedAt()).toBe(from);
    await clock.advance(59_999);
    await ring.find(text);
    expect(await usedAt()).toBe(from);
    await clock.advance(1);
    await ring.find(text);
    await settle();
    expect(await usedAt()).toBe(from + 60_000);
  });
});
