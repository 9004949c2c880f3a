import assert from 'node:assert/strict';
import type { FlowDefinition, JsonObject } from '#core';
import type { StoreFixture, StoreRule } from './store-fixture.js';
import { SAMPLE_TIME, sampleTask } from './sample-task.js';

/** Rules of flow definitions and their versions. */
export function describeFlows(rule: StoreRule): void {
  rule('a flow is stored and read back, by version and as the newest', async (store) => {
    const definition = flow('a');
    const saved = await store.flows.saveFlow(definition, 'h1', SAMPLE_TIME);
    assert.deepEqual(saved, { definition, version: 1, hash: 'h1', createdAt: SAMPLE_TIME });
    const isThere = async ({ flows }: StoreFixture): Promise<void> => {
      assert.deepEqual(await flows.getFlow('a'), saved);
      assert.deepEqual(await flows.getFlow('a', 1), saved);
    };
    await isThere(store);
    await isThere(await store.reopen());
  });

  rule('a flow or a version that is not there is null', async ({ flows }) => {
    await flows.saveFlow(flow('a'), 'h1', SAMPLE_TIME);
    assert.equal(await flows.getFlow('b'), null);
    assert.equal(await flows.getFlow('A'), null);
    assert.equal(await flows.getFlow('a', 2), null);
    assert.equal(await flows.getFlow('a', 0), null);
  });

  rule('the same definition again is the same version, a different one the next', async (store) => {
    const [first, second] = [flow('a', 'one'), flow('a', 'two')];
    await store.flows.saveFlow(first, 'h1', SAMPLE_TIME);
    const { flows } = await store.reopen();
    const again = await flows.saveFlow(first, 'h1', SAMPLE_TIME + 5);
    assert.deepEqual([again.version, again.createdAt], [1, SAMPLE_TIME]);
    assert.equal((await flows.saveFlow(second, 'h2', SAMPLE_TIME + 6)).version, 2);
    assert.deepEqual((await flows.getFlow('a'))?.definition, second);
    assert.deepEqual((await flows.getFlow('a', 1))?.definition, first);
  });

  rule('going back to an older definition makes a new version of it', async ({ flows }) => {
    await flows.saveFlow(flow('a', 'one'), 'h1', SAMPLE_TIME);
    await flows.saveFlow(flow('a', 'two'), 'h2', SAMPLE_TIME + 1);
    const back = await flows.saveFlow(flow('a', 'one'), 'h1', SAMPLE_TIME + 2);
    assert.deepEqual([back.version, back.createdAt], [3, SAMPLE_TIME + 2]);
    assert.deepEqual(await flows.getFlow('a'), back);
  });

  rule('one definition saved many times at once has one version', async ({ flows }) => {
    const saves = Array.from({ length: 10 }, () => flows.saveFlow(flow('a'), 'h1', SAMPLE_TIME));
    const versions = (await Promise.all(saves)).map(({ version }) => version);
    assert.deepEqual(new Set(versions), new Set([1]));
  });

  rule('different definitions saved at once have different versions', async ({ flows }) => {
    const saves = Array.from({ length: 10 }, (_, n) => {
      return flows.saveFlow(flow('a', `text ${n}`), `h${n}`, SAMPLE_TIME);
    });
    const saved = await Promise.all(saves);
    const versions = saved.map(({ version }) => version).sort((a, b) => a - b);
    assert.deepEqual(versions, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const version of saved) {
      assert.deepEqual(await flows.getFlow('a', version.version), version);
    }
  });

  rule('the newest version of each flow is listed, by name', async ({ flows }) => {
    assert.deepEqual(await flows.listFlows(), []);
    for (const [nth, name] of ['b', 'a', 'c', 'a'].entries()) {
      await flows.saveFlow(flow(name, `text ${nth}`), `h${nth}`, SAMPLE_TIME + nth);
    }
    const listed = await flows.listFlows();
    assert.deepEqual(
      listed.map(({ definition, version }) => [definition.name, version]),
      [
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ],
    );
  });

  rule('a definition keeps keys that mean something elsewhere', async (store) => {
    const input = JSON.parse(
      '{"$ref":"#/a.b","properties":{"__proto__":{"type":"string"},"$gt":{}},"n":"a\\u0000"}',
    ) as JsonObject;
    const labels = { 'a.b': '{% $x %}', $c: 'd' };
    await store.flows.saveFlow({ ...flow('a'), input, labels }, 'h1', SAMPLE_TIME);
    const { flows } = await store.reopen();
    const { definition } = (await flows.getFlow('a')) ?? {};
    assert.equal(JSON.stringify(definition?.input), JSON.stringify(input));
    assert.deepEqual(definition?.labels, labels);
  });
}

function flow(name: string, description = 'one'): FlowDefinition {
  const { steps } = sampleTask().plan;
  return { name, description, input: { type: 'object' }, timeoutMs: 60_000, steps };
}
