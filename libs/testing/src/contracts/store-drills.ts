import assert from 'node:assert/strict';
import type { DrillRecord } from '#ports';
import { SAMPLE_TIME } from './sample-task.js';
import type { StoreRule } from './store-fixture.js';

/** The result of a drill of a test. */
export function sampleDrill(flow: string, version: number, failures = 0): DrillRecord {
  return { flow, version, at: SAMPLE_TIME + version, failures, total: 32 };
}

/** Rules of results of drills. */
export function describeDrills(rule: StoreRule): void {
  rule('of each version the last drill alone is kept', async (store) => {
    await store.drills.putDrill(sampleDrill('a', 1, 3));
    await store.drills.putDrill(sampleDrill('a', 1));
    const { drills } = await store.reopen();
    assert.deepEqual(await drills.findDrill('a', 1), sampleDrill('a', 1));
    assert.deepEqual(await drills.listDrills(), [sampleDrill('a', 1)]);
  });

  rule('a version that was not drilled has the drill of the newest one before', async (store) => {
    const { drills } = store;
    for (const version of [2, 10, 9]) await drills.putDrill(sampleDrill('a', version));
    await drills.putDrill(sampleDrill('ab', 1));
    const found = async (version: number) => (await drills.findDrill('a', version))?.version;
    assert.deepEqual(await Promise.all([1, 2, 8, 9, 11].map(found)), [undefined, 2, 2, 9, 10]);
    assert.equal(await drills.findDrill('b', 9), null);
  });

  rule('drills are listed by flow, each of its newest version', async ({ drills }) => {
    assert.deepEqual(await drills.listDrills(), []);
    const all = [sampleDrill('b', 1), sampleDrill('a "é\'', 2, 1), sampleDrill('b', 11)];
    for (const each of [...all, sampleDrill('b', 2)]) await drills.putDrill(each);
    assert.deepEqual(await drills.listDrills(), [all[1], all[2]]);
  });
}
