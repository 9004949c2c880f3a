import assert from 'node:assert/strict';
import type { TaskQuery, TaskStore } from '#ports';
import { SAMPLE_TIME, sampleTask } from './sample-task.js';
import { idsOf, insertAll, listedIds } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';

/** Rules of lists that are restricted to several flows. */
export function describeListedFlows(rule: StoreRule): void {
  rule('a list of some flows has the tasks of each of them, however many', async ({ tasks }) => {
    const of = ['a', 'b', 'c', 'A', 'a*'].map((flow, n) => {
      const labels = { even: `${n % 2 === 0}` };
      return sampleTask({ flow, labels, createdAt: SAMPLE_TIME + n * 1_000 });
    });
    const [a, b, c, , star] = of;
    await insertAll(tasks, of);
    const listed = (query: Partial<TaskQuery>): Promise<string[]> => allIds(tasks, query);
    assert.deepEqual(await listed({ flows: ['a', 'c', 'a'] }), idsOf([a!, c!]));
    assert.deepEqual(await listed({ flows: ['a*'] }), idsOf([star!]));
    assert.deepEqual(await listed({ flows: ['a', 'b'], flow: 'b' }), idsOf([b!]));
    assert.deepEqual(await listed({ flows: ['a', 'b'], flow: 'c' }), []);
    assert.deepEqual(await listed({ flows: ['a', 'b'], statuses: [0] }), []);
    assert.deepEqual(await listed({ flows: ['b', 'c'], labels: { even: 'true' } }), idsOf([c!]));
    const many = [...Array.from({ length: 300 }, (_, n) => `none-${n}`), 'a', 'b', 'c'];
    assert.deepEqual(await listed({ flows: many }), idsOf([a!, b!, c!]));
  });
}

/** Rules of lists of tasks whose ids begin alike. */
export function describeIdPrefixes(rule: StoreRule): void {
  rule('a list of the beginning of an id has those tasks alone, newest first', async (store) => {
    const ids = ['01a2-b', '01a2-a', '01a2', '01a', '01a3', '01b2-a', 'x01a2'];
    const of = ids.map((taskId, n) => {
      const labels = { even: `${n % 2 === 0}` };
      return sampleTask({ taskId, labels, createdAt: SAMPLE_TIME + n * 1_000 });
    });
    const { tasks } = store;
    await insertAll(tasks, of);
    const listed = (query: Partial<TaskQuery>): Promise<string[]> => listedIds(tasks, query);
    assert.deepEqual(await listed({ idPrefix: '01a2' }), ['01a2', '01a2-a', '01a2-b']);
    assert.deepEqual(await listed({ idPrefix: '01a2-' }), ['01a2-a', '01a2-b']);
    assert.deepEqual(await listed({ idPrefix: '01a', limit: 2 }), ['01a3', '01a']);
    assert.deepEqual(await listed({ idPrefix: '01a2', labels: { even: 'false' } }), ['01a2-a']);
    assert.deepEqual(await listed({ idPrefix: '01a2', statuses: [0] }), []);
    assert.deepEqual(await listed({ idPrefix: '%' }), []);
    assert.deepEqual(await listed({ idPrefix: '01A2' }), []);
    const pages = await allIds(tasks, { idPrefix: '01a' });
    assert.deepEqual(pages, ['01a', '01a2', '01a2-a', '01a2-b', '01a3']);
  });
}

/** Task by task, so that every page goes on from the one before. */
async function allIds(store: TaskStore, query: Partial<TaskQuery>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await store.list({ ...query, limit: 1, ...(cursor && { cursor }) });
    ids.push(...page.items.map(({ taskId }) => taskId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids.sort();
}
