import assert from 'node:assert/strict';
import type { Task } from '#core';
import { summaryOf } from '#core/stored';
import type { ChangeMark, ChangeStore } from '#ports';
import { commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { endedOf, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';

/** All changes there are, read in pages of this size. */
async function changesOf(changes: ChangeStore, limit = 50): Promise<readonly ChangeMark[]> {
  const found: ChangeMark[] = [];
  for (;;) {
    const page = await changes.find({ from: 0, after: found.at(-1), limit });
    found.push(...page);
    if (page.length < limit) return found;
  }
}

async function changedIds(changes: ChangeStore): Promise<readonly string[]> {
  return (await changesOf(changes)).map(({ taskId }) => taskId);
}

/** Puts a server's clock past the numbers that were given. */
async function untilLater(changes: ChangeStore, than: number): Promise<void> {
  if (changes.overlap.far === 0) return;
  while ((await changes.newest()) <= than + 1);
}

async function latestOf(changes: ChangeStore, { plan }: Task): Promise<number> {
  const found = (await changesOf(changes)).find(({ taskId }) => taskId === plan.taskId);
  assert.ok(found, `there is a change of ${plan.taskId}`);
  return found.at;
}

/** Rules of what has changed: each task once, by its latest notable change. */
export function describeChanges(rule: StoreRule): void {
  rule('a new task has changed, and one that changed again stands behind the others', async (s) => {
    const [one, other] = [sampleTask(), sampleTask()];
    assert.deepEqual(await changesOf(s.changes), []);
    await insertAll(s.tasks, [one]);
    await untilLater(s.changes, await latestOf(s.changes, one));
    await insertAll(s.tasks, [other]);
    assert.deepEqual(await changedIds(s.changes), [one.plan.taskId, other.plan.taskId]);
    await untilLater(s.changes, await latestOf(s.changes, other));
    await commitOf(s.tasks, one, nextOf(one, { status: 2 }));
    const expected = [other.plan.taskId, one.plan.taskId];
    assert.deepEqual(await changedIds(s.changes), expected);
    assert.deepEqual(await changedIds((await s.reopen()).changes), expected);
  });

  rule('a commit that changes nothing of how a task stands moves nothing', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const before = await latestOf(store.changes, task);
    await untilLater(store.changes, before);
    const next = await commitOf(store.tasks, task, nextOf(task, { wakeAt: SAMPLE_TIME + 5_000 }));
    assert.equal(await latestOf(store.changes, task), before);
    await commitOf(store.tasks, next, nextOf(next, { message: 'no host' }));
    assert.ok((await latestOf(store.changes, task)) > before);
  });

  rule('changes are found from a number on, in pages that leave none out', async (store) => {
    const tasks = Array.from({ length: 23 }, () => sampleTask());
    await insertAll(store.tasks, tasks);
    const all = await changesOf(store.changes);
    assert.deepEqual(new Set(all.map(({ taskId }) => taskId)).size, tasks.length);
    for (const size of [1, 7, 23]) assert.deepEqual(await changesOf(store.changes, size), all);
    const from = all[11]!.at;
    const rest = await store.changes.find({ from, limit: 50 });
    assert.deepEqual(
      rest,
      all.filter(({ at }) => at >= from),
    );
    assert.deepEqual(await store.changes.find({ from, after: all.at(-1), limit: 5 }), []);
  });

  rule('a commit that lost changes nothing', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const next = await commitOf(store.tasks, task, nextOf(task, { status: 2 }));
    const before = await latestOf(store.changes, next);
    await untilLater(store.changes, before);
    assert.equal(await store.tasks.commit(task, nextOf(task, { status: 3 })), 'conflict');
    assert.equal(await latestOf(store.changes, task), before);
  });

  rule('a removed task has no change, and no number is given twice', async (store) => {
    const [gone, kept] = [sampleTask(), sampleTask()];
    await insertAll(store.tasks, [kept, gone]);
    const ended = await commitOf(store.tasks, gone, endedOf(gone));
    const before = await latestOf(store.changes, ended);
    await store.finals.remove([ended]);
    assert.deepEqual(await changedIds(store.changes), [kept.plan.taskId]);
    const { changes, tasks } = await store.reopen();
    await untilLater(changes, before);
    assert.ok((await changes.newest()) >= before);
    const later = sampleTask();
    await insertAll(tasks, [later]);
    assert.ok((await latestOf(changes, later)) > before);
  });

  rule('what lists show is told of tasks by their ids', async ({ changes, tasks }) => {
    const [one, other] = [sampleTask({ labels: { team: 'db' } }), sampleTask()];
    await insertAll(tasks, [one, other]);
    const next = await commitOf(tasks, one, nextOf(one, { status: 2, message: 'no host' }));
    const ids = [one.plan.taskId, 'never', other.plan.taskId];
    const found = [...(await changes.summaries(ids))].toSorted((a, b) => {
      return ids.indexOf(a.taskId) - ids.indexOf(b.taskId);
    });
    assert.deepEqual(found, [summaryOf(next), summaryOf(other)]);
    assert.deepEqual(await changes.summaries([]), []);
  });
}
