import assert from 'node:assert/strict';
import type { FlowDefinition } from '#core';
import type { PutOrder, PutResult } from '#ports';
import { SAMPLE_TIME, sampleTask } from './sample-task.js';
import type { StoreRule } from './store-fixture.js';

/** Rules of definitions that come by requests. */
export function describeDefinitions(rule: StoreRule): void {
  rule('a definition is stored as the next version, and says what was before', async (store) => {
    const first = await store.definitions.putFlow(order('one'));
    assert.deepEqual(first, { kind: 'stored', flow: versionOf('one', 1), before: null });
    const second = await store.definitions.putFlow(order('two'));
    const before = { name: 'a', version: 1, standing: 'stored' };
    assert.deepEqual(second, { kind: 'stored', flow: versionOf('two', 2), before });
    const { definitions, flows } = await store.reopen();
    assert.deepEqual(await flows.getFlow('a'), versionOf('two', 2));
    assert.deepEqual(await definitions.listHeads(), [{ ...before, version: 2 }]);
  });

  rule('the newest definition again is the same version', async ({ definitions }) => {
    await definitions.putFlow(order('one'));
    const again = await definitions.putFlow({ ...order('one'), now: SAMPLE_TIME + 5 });
    assert.deepEqual(stored(again).flow, versionOf('one', 1));
  });

  rule('a definition is stored only where the newest is one that is expected', async (store) => {
    const { definitions } = store;
    const none = { ...order('one'), expected: [0] };
    assert.equal((await definitions.putFlow({ ...none, expected: [1] })).kind, 'moved');
    assert.equal((await definitions.putFlow(none)).kind, 'stored');
    const late = { ...order('two'), expected: [0] };
    assert.deepEqual(await definitions.putFlow(late), { kind: 'moved', version: 1 });
    const fitting = await definitions.putFlow({ ...late, expected: [7, 1] });
    assert.equal(stored(fitting).flow.version, 2);
  });

  rule('a retired flow keeps its versions, and comes back under the next number', async (store) => {
    const { definitions } = store;
    await definitions.putFlow(order('one'));
    assert.deepEqual(await definitions.retireFlow('a'), { kind: 'retired' });
    assert.deepEqual(await definitions.retireFlow('a'), { kind: 'retired' });
    const { definitions: reopened, flows } = await store.reopen();
    const retired = { name: 'a', version: 1, standing: 'retired' } as const;
    assert.deepEqual(await reopened.listHeads(), [retired]);
    assert.deepEqual(await flows.getFlow('a', 1), versionOf('one', 1));
    const back = await reopened.putFlow(order('one'));
    assert.deepEqual(back, { kind: 'stored', flow: versionOf('one', 2), before: retired });
    assert.deepEqual(await reopened.listHeads(), [{ ...retired, version: 2, standing: 'stored' }]);
  });

  rule('a flow is retired only at a version that is expected', async ({ definitions }) => {
    assert.deepEqual(await definitions.retireFlow('a'), { kind: 'unknown' });
    await definitions.putFlow(order('one'));
    assert.deepEqual(await definitions.retireFlow('a', [2]), { kind: 'moved', version: 1 });
    assert.deepEqual(await definitions.retireFlow('a', [1]), { kind: 'retired' });
  });

  rule('files and requests share one history', async ({ definitions, flows }) => {
    const standing = async () => (await definitions.listHeads())[0]?.standing;
    await flows.saveFlow(flowOf('one'), 'one', SAMPLE_TIME);
    assert.equal(await standing(), 'file');
    const taken = await definitions.putFlow(order('one'));
    const before = { name: 'a', version: 1, standing: 'file' };
    assert.deepEqual(taken, { kind: 'stored', flow: versionOf('one', 1), before });
    assert.equal(await standing(), 'stored');
    assert.equal((await flows.saveFlow(flowOf('one'), 'one', SAMPLE_TIME)).version, 1);
    assert.equal(await standing(), 'file');
    await definitions.putFlow(order('two'));
    await definitions.retireFlow('a');
    assert.equal((await flows.saveFlow(flowOf('three'), 'three', SAMPLE_TIME)).version, 3);
    assert.equal(await standing(), 'file');
  });

  rule('versions are listed, the newest first', async ({ definitions }) => {
    assert.deepEqual(await definitions.listVersions('a', 10), []);
    for (const text of ['one', 'two', 'three', 'four']) await definitions.putFlow(order(text));
    const entry = (hash: string, version: number): object => {
      return { version, hash, createdAt: SAMPLE_TIME };
    };
    const some = await definitions.listVersions('a', 2);
    assert.deepEqual(some, [entry('four', 4), entry('three', 3)]);
    const older = await definitions.listVersions('a', 2, 3);
    assert.deepEqual(older, [entry('two', 2), entry('one', 1)]);
    assert.deepEqual(await definitions.listVersions('b', 2), []);
  });

  rule('definitions stored at once have different versions', async ({ definitions }) => {
    const texts = Array.from({ length: 10 }, (_, n) => `text ${n}`);
    const puts = await Promise.all(texts.map((text) => definitions.putFlow(order(text))));
    const versions = puts.map((put) => stored(put).flow.version).sort((a, b) => a - b);
    assert.deepEqual(versions, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  rule('of those stored at once where none was expected, one is', async ({ definitions }) => {
    const texts = Array.from({ length: 10 }, (_, n) => `text ${n}`);
    const orders = texts.map((text) => ({ ...order(text), expected: [0] }));
    const puts = await Promise.all(orders.map((each) => definitions.putFlow(each)));
    assert.equal(puts.filter(({ kind }) => kind === 'stored').length, 1);
    assert.equal((await definitions.listVersions('a', 10)).length, 1);
  });
}

function order(text: string): PutOrder {
  return { definition: flowOf(text), hash: text, now: SAMPLE_TIME };
}

function flowOf(description: string): FlowDefinition {
  const { steps } = sampleTask().plan;
  return { name: 'a', description, input: null, timeoutMs: null, steps };
}

function versionOf(text: string, version: number): object {
  return { definition: flowOf(text), version, hash: text, createdAt: SAMPLE_TIME };
}

function stored(result: PutResult): Extract<PutResult, { kind: 'stored' }> {
  assert.ok(result.kind === 'stored');
  return result;
}
