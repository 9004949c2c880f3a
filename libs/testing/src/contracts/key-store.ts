import assert from 'node:assert/strict';
import type { KeyRecord, KeyStore } from '#ports';
import { testRunner } from './runner.js';

/** A store of keys under test. */
export interface KeyStoreFixture {
  readonly keys: KeyStore;
  /** Opens the same data again, as a restarted process would. */
  reopen(): Promise<KeyStoreFixture>;
  dispose(): Promise<void>;
}

/** The contract of every store of keys; an adapter's spec is a call of this. */
export function keyStoreContract(name: string, open: () => Promise<KeyStoreFixture>): void {
  const { describe, it } = testRunner();
  const rule = (
    what: string,
    body: (fixture: KeyStoreFixture) => Promise<KeyStoreFixture | void>,
  ) =>
    it(what, async () => {
      const fixture = await open();
      const last = await body(fixture);
      await (last ?? fixture).dispose();
    });
  describe(`key store contract: ${name}`, () => {
    rule('a key comes back as it was stored, also after a restart', async (fixture) => {
      const labels = { 'a.b': '$x', __proto: 'é "=" %' };
      const full = sampleKey('a', { flows: ['create-*'], labels, modules: ['m'], expiresAt: 99 });
      await fixture.keys.addKey(full);
      await fixture.keys.addKey(sampleKey('b'));
      assert.deepEqual(await fixture.keys.findKey('a'), full);
      const reopened = await fixture.reopen();
      assert.deepEqual(await reopened.keys.findKey('a'), full);
      assert.deepEqual(await reopened.keys.findKey('b'), sampleKey('b'));
      assert.equal(await reopened.keys.findKey('c'), null);
      return reopened;
    });

    rule('a key that is stored again stays as it was first', async ({ keys }) => {
      await keys.addKey(sampleKey('a'));
      await keys.addKey(sampleKey('a', { role: 'admin' }));
      assert.deepEqual(await keys.listKeys(), [sampleKey('a')]);
    });

    rule('keys are listed by age', async ({ keys }) => {
      await keys.addKey(sampleKey('young', { createdAt: 2_000 }));
      await keys.addKey(sampleKey('old', { createdAt: 1_000 }));
      const ids = (await keys.listKeys()).map(({ id }) => id);
      assert.deepEqual(ids, ['old', 'young']);
    });

    rule('a key is removed once', async ({ keys }) => {
      await keys.addKey(sampleKey('a'));
      assert.equal(await keys.removeKey('a'), true);
      assert.equal(await keys.removeKey('a'), false);
      assert.equal(await keys.findKey('a'), null);
    });

    rule('a secret that is shared stays as it was first, also after a restart', async (fixture) => {
      const { keys } = fixture;
      const both = await Promise.all([keys.sharedSecret('a', '1'), keys.sharedSecret('a', '2')]);
      assert.equal(new Set(both).size, 1);
      assert.equal(await keys.sharedSecret('b', '3'), '3');
      const reopened = await fixture.reopen();
      assert.equal(await reopened.keys.sharedSecret('a', '4'), both[0]);
      return reopened;
    });

    rule('the latest use of a key is noted', async ({ keys }) => {
      await keys.addKey(sampleKey('a'));
      await keys.noteKeyUse('a', 5_000);
      await keys.noteKeyUse('a', 4_000);
      await keys.noteKeyUse('nobody', 5_000);
      assert.deepEqual(await keys.listKeys(), [sampleKey('a', { usedAt: 5_000 })]);
    });
  });
}

/** A key, as it may be stored. */
export function sampleKey(id: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    hash: 'ab'.repeat(32),
    name: `key ${id}`,
    role: 'viewer',
    flows: null,
    labels: null,
    modules: null,
    createdAt: 1_000,
    expiresAt: null,
    usedAt: null,
    ...more,
  };
}
