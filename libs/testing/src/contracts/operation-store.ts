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
  });
}

type Rule = (what: string, body: Body) => void;

function describeRecords(rule: Rule): void {
  rule('an operation comes back as it was stored, also after a restart', async (fixture) => {
    const { operations } = fixture;
    const full = sample('a', FULL);
    assert.equal(await operations.addOperation(full), true);
    assert.equal(await operations.addOperation(sample('b')), true);
    assert.deepEqual(await operations.findOperation('a'), full);
    const next = { ...full, revision: 2, done: 7, dueAt: null, status: 'finished' as const };
    assert.equal(await operations.commitOperation(next), 'committed');
    const reopened = await fixture.reopen();
    assert.deepEqual(await reopened.operations.findOperation('a'), next);
    assert.deepEqual(await reopened.operations.findOperation('b'), sample('b'));
    assert.equal(await reopened.operations.findOperation('c'), null);
    return reopened;
  });

  rule('one that is stored again under the same id stays as it was first', async (fixture) => {
    const { operations } = fixture;
    await operations.addOperation(sample('a'));
    assert.equal(await operations.addOperation(sample('a', { matched: 9 })), false);
    assert.deepEqual(await operations.findOperation('a'), sample('a'));
  });

  rule('of all who write the next revision, one does', async ({ operations }) => {
    await operations.addOperation(sample('a'));
    const rivals = Array.from({ length: 8 }, (_, n) =>
      sample('a', { revision: 2, runner: `runner ${n}` }),
    );
    const results = await Promise.all(rivals.map((next) => operations.commitOperation(next)));
    assert.equal(results.filter((result) => result === 'committed').length, 1);
    const won = rivals[results.indexOf('committed')];
    assert.deepEqual(await operations.findOperation('a'), won);
    for (const revision of [2, 4]) {
      const late = sample('a', { revision, runner: 'late' });
      assert.equal(await operations.commitOperation(late), 'conflict');
    }
    assert.equal(await operations.commitOperation(sample('b', { revision: 2 })), 'conflict');
  });
}

function describeLists(rule: Rule): void {
  rule('operations are listed newest first, page after page', async ({ operations }) => {
    const times = { a: 1_000, b: 3_000, c: 2_000, d: 2_000 };
    for (const [id, createdAt] of Object.entries(times)) {
      await operations.addOperation(sample(id, { createdAt }));
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
      await operations.addOperation(sample(id, { dueAt }));
    }
    assert.deepEqual(idsOf(await operations.findDueOperations(3_000, 5)), ['b', 'd', 'a']);
    assert.deepEqual(idsOf(await operations.findDueOperations(3_000, 1)), ['b']);
    await operations.commitOperation(sample('b', { revision: 2, dueAt: null }));
    await operations.commitOperation(sample('c', { revision: 2, dueAt: 5_000 }));
    assert.deepEqual(idsOf(await operations.findDueOperations(6_000, 5)), ['d', 'a', 'c']);
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

function sample(operationId: string, more: Partial<OperationRecord> = {}): OperationRecord {
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
