import assert from 'node:assert/strict';
import type { Task, TaskPlan } from '#core';
import type { TaskStore } from '#ports';
import {
  assertSameTask,
  assertStored,
  commitOf,
  dueIds,
  insertAll,
  listedIds,
  tasksOf,
  walkAll,
} from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { endedOf, longTask, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';

/** A task that is stored and has ended. */
async function insertEnded(tasks: TaskStore, plan: Partial<TaskPlan> = {}): Promise<Task> {
  const task = sampleTask(plan);
  await insertAll(tasks, [task]);
  return commitOf(tasks, task, endedOf(task));
}

/** Rules of removal: a final task goes with all that belongs to it, and nothing else goes. */
export function describeFinals(rule: StoreRule): void {
  rule('a removed task is nowhere to be found, also by a reopened store', async (store) => {
    const labels = { team: 'db', 'a.b': '$x', '': 'empty key' };
    const origin = { requestId: 'r1', operator: 'ann' };
    const parent = { taskId: 'gone', run: 'fleet#1', index: 0, isPart: false, depth: 1 };
    const [gone, kept] = [
      await insertEnded(store.tasks, { labels, origin, parent, idempotencyKey: 'one' }),
      await insertEnded(store.tasks, { labels, origin, parent: { ...parent, index: 1 } }),
    ];
    assert.equal(await store.finals.remove([gone]), 1);
    const check = async ({ tasks, children }: typeof store): Promise<void> => {
      const ids = [kept.plan.taskId];
      assert.equal(await tasks.get(gone.plan.taskId), null);
      assert.equal(await tasks.findByKey('one'), null);
      assert.deepEqual(await listedIds(tasks, {}), ids);
      assert.deepEqual(await listedIds(tasks, { labels }), ids);
      assert.deepEqual(await listedIds(tasks, { origin }), ids);
      assert.deepEqual(await listedIds(tasks, { flow: gone.plan.flow, statuses: [0] }), ids);
      assert.deepEqual(await listedIds(tasks, { parent: 'gone' }), ids);
      assert.deepEqual(tasksOf(await walkAll(tasks, {})).length, 1);
      assert.equal((await children.count({ taskId: 'gone', run: 'fleet#1' })).found, 1);
      await assertStored(tasks, kept);
    };
    await check(store);
    await check(await store.reopen());
  });

  rule('only the revision that was given is removed', async (store) => {
    const ended = await insertEnded(store.tasks, { idempotencyKey: 'kept' });
    const restarted = nextOf(ended, { status: 2, wakeAt: SAMPLE_TIME + 10_000 });
    await commitOf(store.tasks, ended, restarted);
    assert.equal(await store.finals.remove([ended]), 0);
    await assertStored(store.tasks, restarted);
    assertSameTask(await store.tasks.findByKey('kept'), restarted);
    assert.deepEqual(await dueIds(store.tasks, SAMPLE_TIME + 20_000), [ended.plan.taskId]);
  });

  rule('many are removed at once, each counted once, and again is nothing', async (store) => {
    const ended = await Promise.all(Array.from({ length: 30 }, () => insertEnded(store.tasks)));
    const [first, ...others] = ended;
    assert.equal(await store.finals.remove([]), 0);
    assert.equal(await store.finals.remove([first!]), 1);
    assert.equal(await store.finals.remove(ended), others.length);
    assert.equal(await store.finals.remove(ended), 0);
    assert.deepEqual(await listedIds(store.tasks, {}), []);
  });

  rule('a commit on a removed task is a conflict and brings nothing back', async (store) => {
    const ended = await insertEnded(store.tasks);
    await store.finals.remove([ended]);
    await insertEnded(store.tasks);
    assert.equal(await store.tasks.commit(ended, nextOf(ended, { status: 0 })), 'conflict');
    assert.equal(await store.tasks.get(ended.plan.taskId), null);
  });

  rule('key and id of a removed task can be used again', async (store) => {
    const ended = await insertEnded(store.tasks, { idempotencyKey: 'again' });
    await store.finals.remove([ended]);
    const other = sampleTask({ idempotencyKey: 'again' });
    await insertAll(store.tasks, [other]);
    assert.equal((await store.tasks.findByKey('again'))?.plan.taskId, other.plan.taskId);
    const same = sampleTask({ taskId: ended.plan.taskId });
    await insertAll(store.tasks, [same]);
    await assertStored(store.tasks, same);
  });

  rule('a large task goes whole, and can be stored again without loss', async (store) => {
    const labels = { team: 'db' };
    const ended = await endedLong(store.tasks, { labels, idempotencyKey: 'long' });
    await store.finals.remove([ended]);
    // Whatever were left of the one that is gone would show in those that come after it.
    const next = sampleTask({ labels });
    await insertAll(store.tasks, [next, ended]);
    const check = async ({ tasks }: typeof store): Promise<void> => {
      await assertStored(tasks, next);
      await assertStored(tasks, ended);
      const ids = [next.plan.taskId, ended.plan.taskId].toSorted();
      assert.deepEqual((await listedIds(tasks, { labels })).toSorted(), ids);
    };
    await check(store);
    await check(await store.reopen());
  });

  rule('it is told which tasks are there', async (store) => {
    const [one, other] = [await insertEnded(store.tasks), await insertEnded(store.tasks)];
    const ids = [one.plan.taskId, other.plan.taskId, 'never'];
    assert.deepEqual(await store.finals.findPresent([]), new Set());
    assert.deepEqual(await store.finals.findPresent(ids), new Set(ids.slice(0, 2)));
    await store.finals.remove([one]);
    assert.deepEqual(await store.finals.findPresent(ids), new Set([other.plan.taskId]));
  });
}

/** A task with a long journal and outputs that stand apart, written bit by bit. */
async function endedLong(tasks: TaskStore, plan: Partial<TaskPlan>): Promise<Task> {
  const first = longTask(plan);
  await insertAll(tasks, [first]);
  let task = first;
  for (let n = 0; n < 40; n += 1) task = await commitOf(tasks, task, nextOf(task));
  return commitOf(tasks, task, endedOf(task));
}
