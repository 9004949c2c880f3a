import assert from 'node:assert/strict';
import { ALERT_FLOW, ALERT_RUN, type Task, type TaskStatus } from '#core';
import type { ChildRange, ChildrenOf, TaskStore } from '#ports';
import {
  ALL_STATUSES,
  assertStored,
  commitOf,
  idsOf,
  insertAll,
  listedIds,
} from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { endedOf, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';

const RUN = 'fleet~2#1';
const NOBODY = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };

/** A child task of this index. */
function child({ run, taskId }: ChildrenOf, index: number): Task {
  const parent = { taskId, run, index, isPart: index % 2 === 0, depth: 3, root: 'r' };
  return sampleTask({ parent, createdAt: SAMPLE_TIME + index, labels: { team: 'db' } });
}

/** Child tasks with the indexes 0, 1, 2 ... that ended, or not, so. */
async function insertChildren(
  tasks: TaskStore,
  of: ChildrenOf,
  statuses: readonly TaskStatus[],
): Promise<readonly Task[]> {
  const first = statuses.map((_, index) => child(of, index));
  await insertAll(tasks, first);
  return Promise.all(
    first.map(async (task, index) => {
      const status = statuses[index] ?? 1;
      if (status === 1) return task;
      const isOver = status === 0 || status === 4 || status === 6;
      const next = status === 0 ? endedOf(task) : nextOf(task, { status });
      return commitOf(tasks, task, isOver ? { ...next, wakeAt: null } : next);
    }),
  );
}

/** Rules of child tasks: they are found by their parents, and may be left out of lists. */
export function describeChildren(rule: StoreRule): void {
  rule('a list may be of the tasks alone that are no child tasks', async ({ tasks }) => {
    const of = { taskId: 'parent-0', run: RUN };
    const labels = { team: 'db' };
    const own = [0, 1, 2].map((n) => sampleTask({ createdAt: SAMPLE_TIME + n, labels }));
    await insertAll(tasks, own);
    await insertChildren(tasks, of, [0, 1, 2]);
    const [first] = own as [Task];
    const { flow } = first.plan;
    for (const query of [{}, { labels }, { flow }, { statuses: ALL_STATUSES }]) {
      const found = await listedIds(tasks, { ...query, isTopLevel: true, limit: 10 });
      assert.deepEqual(found.sort(), idsOf(own), JSON.stringify(query));
    }
    const waiting = { waitsForPerson: true, isTopLevel: true } as const;
    assert.deepEqual(await listedIds(tasks, waiting), []);
    assert.deepEqual(await listedIds(tasks, { parent: of.taskId, isTopLevel: true }), []);
    const idPrefix = first.plan.taskId;
    assert.deepEqual(await listedIds(tasks, { idPrefix, isTopLevel: true }), [idPrefix]);
  });

  rule('a list may be without alert tasks, and a count of live tasks is', async (store) => {
    const { tasks } = store;
    const of = { taskId: 'parent-6', run: ALERT_RUN };
    const labels = { team: 'db' };
    const own = sampleTask({ labels });
    await insertAll(tasks, [own]);
    const alerts = [0, 1].map((n) => {
      const plan = { ...child(of, n).plan, flow: ALERT_FLOW, labels };
      return sampleTask({ ...plan, taskId: `alert-task-${n}` });
    });
    await insertAll(tasks, alerts);
    for (const query of [{}, { labels }, { statuses: ALL_STATUSES }]) {
      assert.equal((await listedIds(tasks, { ...query, limit: 10 })).length, 3);
      const found = await listedIds(tasks, { ...query, withoutAlerts: true, limit: 10 });
      assert.deepEqual(found, idsOf([own]), JSON.stringify(query));
    }
    const idPrefix = 'alert-task';
    assert.deepEqual(await listedIds(tasks, { idPrefix, withoutAlerts: true }), []);
    assert.equal((await listedIds(tasks, { flow: ALERT_FLOW })).length, 2);
    const { not_started: started = 0, running = 0 } = await tasks.countLive();
    assert.equal(started + running, 1);
  });

  rule('child tasks are kept, also by a reopened store, and shown in lists', async (store) => {
    const of = { taskId: 'parent-1', run: RUN };
    const [task] = await insertChildren(store.tasks, of, [1]);
    assert.ok(task !== undefined);
    await assertStored(store.tasks, task);
    const { tasks } = await store.reopen();
    await assertStored(tasks, task);
    const page = await tasks.list({ limit: 5 });
    assert.deepEqual(
      page.items.map((item) => 'parent' in item && item.parent),
      [task.plan.parent],
    );
  });

  rule('child tasks are counted by how they stand', async (store) => {
    const of = { taskId: 'parent-2', run: RUN };
    assert.deepEqual(await store.children.count(of), NOBODY);
    await insertChildren(store.tasks, of, [0, 0, 4, 6, 2, 1, 3, 5, 7, 8]);
    await insertChildren(store.tasks, { ...of, run: 'fleet~2#2' }, [0]);
    await insertChildren(store.tasks, { ...of, taskId: 'parent-3' }, [0]);
    await insertAll(store.tasks, [sampleTask()]);
    const counts = { found: 10, succeeded: 2, failed: 2, active: 6, held: 2 };
    assert.deepEqual(await store.children.count(of), counts);
    const { children } = await store.reopen();
    assert.deepEqual(await children.count(of), counts);
  });

  rule('child tasks are counted in a range of their indexes', async (store) => {
    const of = { taskId: 'parent-9', run: RUN };
    await insertChildren(store.tasks, of, [0, 4, 7, 1, 0, 6]);
    const counted = async (range: Omit<ChildRange, keyof ChildrenOf>): Promise<number[]> => {
      const counts = await store.children.count({ ...of, ...range });
      return [counts.found, counts.succeeded, counts.failed, counts.active];
    };
    assert.deepEqual(await counted({ from: 1, before: 4 }), [3, 0, 1, 2]);
    assert.deepEqual(await counted({ from: 4 }), [2, 1, 1, 0]);
    assert.deepEqual(await counted({ before: 2 }), [2, 1, 1, 0]);
    assert.deepEqual(await counted({ from: 6 }), [0, 0, 0, 0]);
  });

  rule('child tasks are found by their states, the highest index first', async (store) => {
    const of = { taskId: 'parent-4', run: RUN };
    const tasks = await insertChildren(store.tasks, of, [0, 2, 0, 1, 0]);
    const found = await store.children.find({ ...of, limit: 10 });
    const all = tasks.map(({ plan, status }, index) => ({ taskId: plan.taskId, index, status }));
    assert.deepEqual(found, all.toReversed());
    const done = await store.children.find({ ...of, statuses: [0], limit: 2 });
    assert.deepEqual(
      done.map(({ index }) => index),
      [4, 2],
    );
    const rest = await store.children.find({ ...of, statuses: [0, 1, 2], before: 3, limit: 2 });
    assert.deepEqual(
      rest.map(({ index }) => index),
      [2, 1],
    );
  });

  rule('lists may be of the child tasks of one task alone, page after page', async (store) => {
    const of = { taskId: 'parent-5', run: RUN };
    const own = await insertChildren(store.tasks, of, [0, 2, 0, 1]);
    const more = await insertChildren(store.tasks, { ...of, run: 'other#1' }, [0]);
    await insertChildren(store.tasks, { ...of, taskId: 'parent-50' }, [0]);
    const ids = (tasks: readonly Task[]): string[] => tasks.map(({ plan }) => plan.taskId);
    const parent = of.taskId;
    assert.deepEqual(
      (await listedIds(store.tasks, { parent })).toSorted(),
      ids([...own, ...more]).toSorted(),
    );
    const only = { parent, statuses: [2, 1] as TaskStatus[], labels: { team: 'db' } };
    assert.deepEqual(await listedIds(store.tasks, only), ids([own[3]!, own[1]!]));
    const page = await store.tasks.list({ ...only, limit: 1 });
    const cursor = page.nextCursor ?? '';
    assert.deepEqual(await listedIds(store.tasks, { ...only, cursor }), ids([own[1]!]));
    assert.deepEqual(await listedIds(store.tasks, { parent, flow: 'another' }), []);
  });

  rule('a child task that is stored twice is one', async (store) => {
    const of = { taskId: 'parent-6', run: RUN };
    const [task] = await insertChildren(store.tasks, of, [0]);
    assert.ok(task !== undefined);
    assert.equal((await store.tasks.insert({ ...task, revision: 1 })).kind, 'present');
    await assertStored(store.tasks, task);
    assert.equal((await store.children.count(of)).found, 1);
  });
}
