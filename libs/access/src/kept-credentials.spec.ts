import { beforeEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore } from '#testing';
import { Callers } from './callers.js';
import { KeptCredentials } from './kept-credentials.js';
import { makeKey } from './key-order.js';
import { KeyRing } from './key-ring.js';

const DAY_MS = 86_400_000;

let clock: ManualClock;
let store: MemoryStore;
let here: KeptCredentials;
let there: KeptCredentials;

let secrets = 0;
const newSecret = (): string => Buffer.alloc(32, (secrets += 1)).toString('base64url');

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore();
  here = new KeptCredentials({ keys: store.keys, clock, newSecret });
  there = new KeptCredentials({ keys: store.keys, clock, newSecret });
});

describe('the session of a pasted credential', () => {
  it('is open in every process, until it is ended in one', async () => {
    const text = await here.keep('bsk_1_secret');
    expect([await here.open(text), await there.open(text)]).toEqual([
      'bsk_1_secret',
      'bsk_1_secret',
    ]);
    await here.end(text);
    expect(await here.open(text)).toBeNull();
    await clock.advance(2_000);
    expect(await there.open(text)).toBeNull();
    expect(await there.isOpen(KeptCredentials.idOf(text)!)).toBe(false);
  });

  it('leaves other sessions of the same credential open', async () => {
    const [one, other] = [await here.keep('secret'), await here.keep('secret')];
    await here.end(one);
    expect(await here.open(other)).toBe('secret');
  });

  it('tells its credential neither by the cookie nor by the store', async () => {
    const text = await here.keep('bsk_1_secret');
    expect(text + Buffer.from(text.split('.')[1]!, 'base64url').toString('latin1')).not.toMatch(
      /secret|bsk/,
    );
    expect(JSON.stringify(await store.keys.list({ limit: 100 }))).not.toMatch(/secret|bsk/);
  });

  it('is none where its text was changed', async () => {
    const text = await here.keep('secret');
    const other = await here.keep('secret');
    const [id, sealed = ''] = text.split('.');
    for (const wrong of ['', 'bsb_', `${id}.`, `${id}.AAAA`, `${id}.${other.split('.')[1]}`]) {
      expect(await here.open(wrong)).toBeNull();
    }
    expect(await here.open(`bsb_0123456789abcdef.${sealed}`)).toBeNull();
  });

  it('ends after a week, or with its credential', async () => {
    const long = await here.keep('key');
    const short = await here.keep('token', clock.now() + DAY_MS);
    await clock.advance(DAY_MS);
    expect([await here.open(long), await here.open(short)]).toEqual(['key', null]);
    await clock.advance(6 * DAY_MS);
    expect(await here.open(long)).toBeNull();
    await here.keep('key');
    expect(await store.keys.list({ limit: 100 })).toHaveLength(1);
  });

  it('is one of fifty at most: one more ends the oldest', async () => {
    const other = await here.keep('other');
    const first = await here.keep('key');
    for (let n = 0; n < 50; n += 1) {
      await clock.advance(1);
      await here.keep('key');
    }
    await clock.advance(2_000);
    expect([await here.open(first), await here.open(other)]).toEqual([null, 'other']);
    expect(await store.keys.list({ limit: 100 })).toHaveLength(51);
  });

  it('fits a cookie, with the token of an issuer in it', async () => {
    const token = `${newSecret()}.${'x'.repeat(2_600)}.${newSecret()}`;
    const text = await here.keep(token);
    expect(text.length).toBeLessThan(token.length * 1.05 + 80);
    expect(await here.open(text)).toBe(token);
  });

  it('stays good for a minute while the store does not answer', async () => {
    const { keys } = store;
    let isDown = false;
    const get: typeof keys.get = async (id) => {
      if (isDown) throw new StoreUnavailable('away');
      return keys.get(id);
    };
    const kept = new KeptCredentials({ keys: { ...keys, get }, clock, newSecret });
    const text = await kept.keep('key');
    await kept.open(text);
    isDown = true;
    await clock.advance(10_000);
    expect(await kept.open(text)).toBe('key');
    await clock.advance(60_000);
    await expect(kept.open(text)).rejects.toThrow(StoreUnavailable);
  });
});

describe('a caller with such a session', () => {
  it('has the rights of the key, and none after signing out', async () => {
    const keys = new KeyRing({ keys: store.keys, clock });
    const callers = new Callers({ keys, tokens: null, kept: here, clock });
    const order = { name: 'ann', role: 'operator' } as const;
    const made = makeKey(order, { id: '0'.repeat(16), secret: 's'.repeat(43) }, clock.now());
    await store.keys.put(made.record, null);
    const { cookie } = await callers.keep(made.text, (await callers.find(made.text))!);
    const found = (await callers.find(cookie))!;
    expect(found).toMatchObject({ name: 'ann', role: 'operator' });
    expect(await callers.isGood(found)).toBe(true);
    expect(await callers.keep(cookie, found)).toEqual({ cookie, proof: null });
    await callers.endSession(cookie, found);
    expect([await callers.find(cookie), await callers.isGood(found)]).toEqual([null, false]);
    expect(await callers.find(made.text)).toMatchObject({ name: 'ann' });
  });
});
