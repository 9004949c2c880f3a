import assert from 'node:assert/strict';
import type { AuditEntry, AuditLog } from '#ports';
import { testRunner } from './runner.js';

/** A log under test. */
export interface AuditLogFixture {
  readonly audit: AuditLog;
  /** Opens the same data again, as a restarted process would. */
  reopen(): Promise<AuditLogFixture>;
  dispose(): Promise<void>;
}

/** The contract of every audit log; an adapter's spec is a call of this. */
export function auditLogContract(name: string, open: () => Promise<AuditLogFixture>): void {
  const { describe, it } = testRunner();
  const rule = (
    what: string,
    body: (fixture: AuditLogFixture) => Promise<AuditLogFixture | void>,
  ) =>
    it(what, async () => {
      const fixture = await open();
      const last = await body(fixture);
      await (last ?? fixture).dispose();
    });
  describe(`audit log contract: ${name}`, () => {
    rule('entries come back as they were added, also after a restart', async (fixture) => {
      const entries = [1, 2, 3].map((seq) => sampleEntry(seq));
      assert.equal(await fixture.audit.appendEntries(entries.slice(0, 2)), 2);
      assert.equal(await fixture.audit.appendEntries(entries.slice(2)), 1);
      const reopened = await fixture.reopen();
      const read = await reopened.audit.readEntries({ first: 'oldest', limit: 10 });
      assert.deepEqual(read, entries);
      assert.deepEqual(Object.keys(read[0]!).sort(), Object.keys(entries[0]!).sort());
      return reopened;
    });

    rule('entries are read from either end, in parts', async ({ audit }) => {
      await audit.appendEntries([1, 2, 3, 4, 5].map((seq) => sampleEntry(seq)));
      const read = async (first: 'oldest' | 'newest', beyond?: number): Promise<number[]> => {
        const query = { first, limit: 2, ...(beyond !== undefined && { beyond }) };
        return Array.from(await audit.readEntries(query), ({ seq }) => seq);
      };
      assert.deepEqual(await read('oldest'), [1, 2]);
      assert.deepEqual(await read('oldest', 2), [3, 4]);
      assert.deepEqual(await read('oldest', 5), []);
      assert.deepEqual(await read('newest'), [5, 4]);
      assert.deepEqual(await read('newest', 2), [1]);
    });

    rule('no place is taken twice, and none is left out', async ({ audit }) => {
      assert.equal(await audit.appendEntries([sampleEntry(2)]), 0);
      assert.equal(await audit.appendEntries([sampleEntry(1)]), 1);
      assert.equal(await audit.appendEntries([sampleEntry(1, 'other')]), 0);
      assert.deepEqual(await audit.readEntries({ first: 'oldest', limit: 9 }), [sampleEntry(1)]);
    });

    rule('the oldest are removed, and numbers go on', async (fixture) => {
      const { audit } = fixture;
      await audit.appendEntries([1, 2, 3, 4].map((seq) => sampleEntry(seq)));
      assert.equal(await audit.removeEntries(2), 2);
      assert.equal(await audit.removeEntries(2), 0);
      const reopened = await fixture.reopen();
      assert.equal(await reopened.audit.appendEntries([sampleEntry(1)]), 0);
      assert.equal(await reopened.audit.appendEntries([sampleEntry(5)]), 1);
      const read = await reopened.audit.readEntries({ first: 'oldest', limit: 9 });
      assert.deepEqual(
        read,
        [3, 4, 5].map((seq) => sampleEntry(seq)),
      );
      return reopened;
    });

    rule('the newest is never removed', async ({ audit }) => {
      assert.equal(await audit.removeEntries(5), 0);
      await audit.appendEntries([sampleEntry(1)]);
      assert.equal(await audit.removeEntries(1), 0);
      await audit.appendEntries([sampleEntry(2), sampleEntry(3)]);
      assert.equal(await audit.removeEntries(1_000), 2);
      assert.deepEqual(await audit.readEntries({ first: 'newest', limit: 9 }), [sampleEntry(3)]);
    });

    rule('the last of removed entries is told by one that is added', async ({ audit }) => {
      const anchor = { seq: 1, hash: 'b', unsigned: 1, signature: 's' };
      await audit.appendEntries([sampleEntry(1), { ...sampleEntry(2), anchor }]);
      const [read] = await audit.readEntries({ first: 'newest', limit: 1 });
      assert.deepEqual(read, { ...sampleEntry(2), anchor });
    });

    rule('of many that add at once, each place has one', async ({ audit }) => {
      const all = Array.from({ length: 8 }, (_, n) =>
        audit.appendEntries([sampleEntry(1, `p${n}`), sampleEntry(2, `p${n}`)]),
      );
      const added = (await Promise.all(all)).reduce((sum, count) => sum + count, 0);
      const read = await audit.readEntries({ first: 'oldest', limit: 100 });
      assert.equal(read.length, added);
      assert.deepEqual(
        Array.from(read, ({ seq }) => seq),
        [1, 2],
      );
    });
  });
}

/** An entry, as it may be stored. */
export function sampleEntry(seq: number, actor = 'ci'): AuditEntry {
  return {
    seq,
    at: 1_000 + seq,
    actor,
    keyId: seq === 1 ? null : 'k',
    operation: 'POST /v1/tasks/{taskId}:rollback',
    target: '/v1/tasks/x:rollback',
    status: 200,
    reason: seq === 1 ? null : '"é" $x.\u0000y',
    requestId: `r-${seq}`,
    prev: 'a',
    hash: 'b',
  };
}
