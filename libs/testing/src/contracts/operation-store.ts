import assert from 'node:assert/strict';
import type { OperationRecord, OperationStore } from '#ports';
import { testRunner } from './runner.js';

/** A store of operations under test. */
export interface OperationStoreFixture {
  readonly operations: OperationStore;
  /** Opens the same data again, as a restarted process would. */
  reopen(): Promise<OperationStoreFixture>;
  dispose(): Promise<void>;
}

type Open = () => Promise<OperationStoreFixture>;
type Body = (fixture: OperationStoreFixture) => Promise<OperationStoreFixture | void>;

/** The contract of every store of operations; an adapter's spec is a call of this. */
export function operationStoreContract(name: string, open: Open): void {
  const { describe, it } = testRunner();
  const rule = (what: string, body: Body): void =>
    it(what, async () => {
      const fixture = await open();
      const last = await body(fixture);
      await (last ?? fixture).dispose();
    });
  describe(`operation store contract: ${name}`, () => {
    describeRecords(rule);
    describeLists(rule);
    describeRemoval(rule);
  });
}

type Rule = (what: string, body: Body) => void;

function describeRecords(rule: Rule): void {
  rule('an operation comes back as it was stored, also after a restart', async (fixture) => {
    const { operations } = fixture;
    const full = sampleOperation('a', FULL);
    assert.equal(await operations.addOperation(full), true);
    assert.equal(await operations.addOperation(sampleOperation('b')), true);
    assert.deepEqual(await operations.findOperation('a'), full);
    const next = { ...full, revision: 2, done: 7, dueAt: null, status: 'finished' as const };
    assert.equal(await operations.commitOperation(next), 'committed');
    const reopened = await fixture.reopen();
    assert.deepEqual(await reopened.operations.findOperation('a'), next);
    assert.deepEqual(await reopened.operations.findOperation('b'), sampleOperation('b'));
    assert.equal(await reopened.operations.findOperation('c'), null);
    return reopened;
  });

  rule('one that is stored again under the same id stays as it was first', async (fixture) => {
    const { operations } = fixture;
    await operations.addOperation(sampleOperation('a'));
    assert.equal(await operations.addOperation(sampleOperation('a', { matched: 9 })), false);
    assert.deepEqual(await operations.findOperation('a'), sampleOperation('a'));
  });

  rule('of all who write the next revision, one does', async ({ operations }) => {
    await operations.addOperation(sampleOperation('a'));
    const rivals = Array.from({ length: 8 }, (_, n) =>
      sampleOperation('a', { revision: 2, runner: `runner ${n}` }),
    );
    const results = await Promise.all(rivals.map((next) => operations.commitOperation(next)));
    assert.equal(results.filter((result) => result === 'committed').length, 1);
    const won = rivals[results.indexOf('committed')];
    assert.deepEqual(await operations.findOperation('a'), won);
    for (const revision of [2, 4]) {
      const late = sampleOperation('a', { revision, runner: 'late' });
      assert.equal(await operations.commitOperation(late), 'conflict');
    }
    assert.equal(
      await operations.commitOperation(sampleOperation('b', { revision: 2 })),
      'conflict',
    );
  });
}

function describeLists(rule: Rule): void {
  rule('operations are listed newest first, page after page', async ({ operations }) => {
    const times = { a: 1_000, b: 3_000, c: 2_000, d: 2_000 };
    for (const [id, createdAt] of Object.entries(times)) {
      await operations.addOperation(sampleOperation(id, { createdAt }));
    }
    const first = await operations.listOperations({ limit: 2 });
    assert.deepEqual(idsOf(first), ['b', 'd']);
    const rest = await operations.listOperations({ limit: 5, beyond: first[1] });
    assert.deepEqual(idsOf(rest), ['c', 'a']);
    assert.deepEqual(await operations.listOperations({ limit: 5, beyond: rest[1] }), []);
  });

  rule('those that nobody carries out are found, the longest overdue first', async (fixture) => {
    const { operations } = fixture;
    const due = { a: 3_000, b: 1_000, c: null, d: 2_000, e: 9_000 };
    for (const [id, dueAt] of Object.entries(due)) {
      await operations.addOperation(sampleOperation(id, { dueAt }));
    }
    assert.deepEqual(idsOf(await operations.findDueOperations(3_000, 5)), ['b', 'd', 'a']);
    assert.deepEqual(idsOf(await operations.findDueOperations(3_000, 1)), ['b']);
    await operations.commitOperation(sampleOperation('b', { revision: 2, dueAt: null }));
    await operations.commitOperation(sampleOperation('c', { revision: 2, dueAt: 5_000 }));
    assert.deepEqual(idsOf(await operations.findDueOperations(6_000, 5)), ['d', 'a', 'c']);
  });
}

function describeRemoval(rule: Rule): void {
  rule('those that ended long ago are removed, so many at a time', async (fixture) => {
    const { operations } = fixture;
    const ends = { a: 5_000, b: 2_000, c: null, d: 3_000, e: 2_500, f: 2_000 };
    const begun = { a: 1_000, b: 1_000, c: 1_000, d: 1_900, e: 1_500, f: 1_800 };
    for (const [id, endedAt] of Object.entries(ends)) {
      const dueAt = endedAt === null ? 1_000 : null;
      const createdAt = begun[id as keyof typeof begun];
      await operations.addOperation(sampleOperation(id, { createdAt, endedAt, dueAt }));
    }
    assert.equal(await operations.removeOperations(1_999, 5), 0);
    assert.equal(await operations.removeOperations(2_999, 2), 2);
    assert.equal(await operations.findOperation('b'), null);
    assert.equal(await operations.findOperation('e'), null);
    assert.equal(await operations.removeOperations(3_000, 5), 2);
    assert.equal(await operations.removeOperations(3_000, 5), 0);
    assert.deepEqual(idsOf(await operations.listOperations({ limit: 9 })).toSorted(), ['a', 'c']);
    const reopened = await fixture.reopen();
    assert.equal(await reopened.operations.findOperation('d'), null);
    assert.equal(await reopened.operations.addOperation(sampleOperation('d')), true);
    return reopened;
  });

  rule('one that ends late is kept though it began early', async ({ operations }) => {
    await operations.addOperation(sampleOperation('a'));
    const over = { revision: 2, endedAt: 9_000, dueAt: null, status: 'finished' as const };
    await operations.commitOperation(sampleOperation('a', over));
    assert.equal(await operations.removeOperations(8_999, 5), 0);
    assert.equal(await operations.removeOperations(9_000, 5), 1);
  });
}

function idsOf(records: readonly OperationRecord[]): readonly string[] {
  return records.map(({ operationId }) => operationId);
}

const FULL: Partial<OperationRecord> = {
  order: {
    action: 'reset',
    q: 'label.a:"é \\" $x"',
    reason: 'a\u0000b \ud800',
    details: { to: 'b', parameters: { 'a.b': [1, null], $x: { __proto: true } } },
    ratePerSecond: 0.5,
    isDryRun: true,
  },
  requester: {
    actor: 'ann',
    name: 'key of ann',
    keyId: 'k',
    role: 'operator',
    flows: ['create-*'],
    labels: { 'a.b': '$x' },
    modules: ['m'],
  },
  task: { flow: 'create-x', labels: { 'a.b': '$x' }, revision: 7 },
  consent: {
    rule: 'reset on * needs two',
    expiresAt: 9_000,
    decision: { actor: 'ben', keyId: 'k2', isApproved: true, comment: null, at: 5_000 },
  },
  requestHash: 'ab',
  counts: [{ code: 'ILLEGAL_ACTION', count: 3 }],
  examples: [{ taskId: 't', outcome: 'refused', code: 'ILLEGAL_ACTION', message: 'no' }],
  sample: ['t-1', 't-2'],
  progress: { page: ['t-3'], cursor: 'behind', isLast: false },
  cancel: { actor: 'ben', reason: null, at: 2_000 },
  runner: 'gateway-1',
};

/** An operation that was asked for and runs. */
export function sampleOperation(
  operationId: string,
  more: Partial<OperationRecord> = {},
): OperationRecord {
  return {
    operationId,
    revision: 1,
    order: {
      action: 'retry',
      q: 'status:live',
      reason: 'again',
      details: {},
      ratePerSecond: 100,
      isDryRun: false,
    },
    requester: {
      actor: 'api',
      name: 'api',
      keyId: null,
      role: 'admin',
      flows: null,
      labels: null,
      modules: null,
    },
    requestHash: null,
    createdAt: 1_000,
    endedAt: null,
    status: 'running',
    matched: 3,
    isCounted: true,
    done: 0,
    refused: 0,
    failed: 0,
    counts: [],
    examples: [],
    sample: [],
    progress: { page: [], cursor: null, isLast: false },
    cancel: null,
    runner: null,
    dueAt: 1_000,
    ...more,
  };
}
