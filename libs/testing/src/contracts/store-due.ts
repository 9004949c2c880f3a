import assert from 'node:assert/strict';
import { isFinal, type Task } from '#core';
import type { TaskStore } from '#ports';
import { assertSameTask, commitOf, dueIds, idsOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { endedOf, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';

const NO_LIVE = {
  not_started: 0,
  running: 0,
  rolling_back: 0,
  rollback_failed: 0,
  on_hold: 0,
  paused: 0,
  unreadable: 0,
};

/** Rules of what governance asks: which tasks are due, and how many are live. */
export function describeDue(rule: StoreRule): void {
  rule('a task is due from its wakeAt on', async ({ tasks }) => {
    const [early, late] = [dueAt(1_000), dueAt(2_000)];
    await insertAll(tasks, [early, late]);
    assert.deepEqual(await dueIds(tasks, 999), []);
    assert.deepEqual(await dueIds(tasks, 1_000), idsOf([early]));
    assert.deepEqual(await dueIds(tasks, 2_000), idsOf([early, late]));
  });

  rule('a commit moves the moment, and the end of a task takes it away', async (store) => {
    const [moved, ended] = [dueAt(1_000), dueAt(1_000)];
    await insertAll(store.tasks, [moved, ended]);
    const later = await commitOf(store.tasks, moved, nextOf(moved, { wakeAt: 3_000 }));
    await commitOf(store.tasks, ended, endedOf(ended));
    const { tasks } = await store.reopen();
    assert.deepEqual(await dueIds(tasks, 2_999), []);
    assert.deepEqual(await dueIds(tasks, 3_000), idsOf([later]));
    await commitOf(tasks, later, nextOf(later, { wakeAt: 10 }));
    assert.deepEqual(await dueIds(tasks, 10), idsOf([later]));
  });

  rule('due tasks come whole and as they are stored now', async (store) => {
    const task = dueAt(1_000);
    await insertAll(store.tasks, [task]);
    const next = await commitOf(store.tasks, task, nextOf(task, { status: 2, message: 'm' }));
    assertSameTask((await store.tasks.findDue(5_000, 10))[0] ?? null, next);
    const { tasks } = await store.reopen();
    assertSameTask((await tasks.findDue(5_000, 10))[0] ?? null, next);
  });

  rule('no more due tasks come than were asked for, and each only once', async ({ tasks }) => {
    const many = Array.from({ length: 30 }, (_, n) => dueAt(n));
    await insertAll(tasks, many);
    const some = await dueIds(tasks, 100, 7);
    assert.equal(new Set(some).size, 7);
    assert.deepEqual(await dueIds(tasks, 100, 500), idsOf(many));
  });

  rule('every due task comes up when those before it are dealt with', async ({ tasks }) => {
    const many = Array.from({ length: 20 }, () => dueAt(50));
    await insertAll(tasks, many);
    const seen = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      const due = await tasks.findDue(100, 4);
      for (const task of due) seen.add(task.plan.taskId);
      await Promise.all(due.map((task) => commitOf(tasks, task, nextOf(task, { wakeAt: 500 }))));
    }
    assert.deepEqual([...seen].sort(), idsOf(many));
  });

  rule('those longest overdue are passed over, as many as is said', async ({ tasks }) => {
    const many = Array.from({ length: 30 }, (_, n) => dueAt(n * 10_000));
    await insertAll(tasks, many);
    const rest = await tasks.findDue(1_000_000, 500, { skip: 23 });
    assert.deepEqual(idsOf(rest), idsOf(many.slice(23)));
    assert.equal((await tasks.findDue(1_000_000, 5, { skip: 23 })).length, 5);
    assert.deepEqual(await tasks.findDue(1_000_000, 5, { skip: 30 }), []);
  });

  describeShares(rule);
  describeCount(rule);
  describeStarted(rule);
}

function describeShares(rule: StoreRule): void {
  const parts = 3;
  const sharesOf = async (tasks: TaskStore, allUpTo: number): Promise<readonly string[][]> => {
    const found = Array.from({ length: parts }, (_, part) => {
      return tasks.findDue(1_000_000, 500, { share: { part, parts, allUpTo } });
    });
    return (await Promise.all(found)).map(idsOf);
  };

  rule('each due task is in one share, and no share is empty', async ({ tasks }) => {
    const many = Array.from({ length: 90 }, () => dueAt(50_000));
    await insertAll(tasks, many);
    const shares = await sharesOf(tasks, 49_999);
    assert.deepEqual(shares.flat().sort(), idsOf(many));
    for (const share of shares) assert.ok(share.length > 10, `a share of ${share.length}`);
    // The same ones at every look.
    assert.deepEqual(await sharesOf(tasks, 49_999), shares);
    for (const share of await sharesOf(tasks, 50_000)) assert.deepEqual(share, idsOf(many));
  });

  rule('what is due late is in every share, and what is not due in none', async ({ tasks }) => {
    const [late, fresh, early] = [dueAt(1_000), dueAt(900_000), dueAt(1_000_001)];
    await insertAll(tasks, [late, fresh, early]);
    const shares = await sharesOf(tasks, 1_000);
    const [lateId, freshId] = [late.plan.taskId, fresh.plan.taskId];
    assert.deepEqual(shares.flat().sort(), [lateId, lateId, lateId, freshId].sort());
  });
}

function describeCount(rule: StoreRule): void {
  rule(
    'live tasks are counted by the name of their status, those without a task too',
    async (store) => {
      assert.deepEqual(await store.tasks.countLive(), NO_LIVE);
      const many = [1, 1, 2, 3, 5, 5, 5].map((status) => {
        return sampleTask({}, { status: status as Task['status'] });
      });
      const asleep = [7, 8].map((status) => {
        return sampleTask({}, { status: status as Task['status'], wakeAt: null });
      });
      await insertAll(store.tasks, [...many, ...asleep]);
      const counts = {
        ...NO_LIVE,
        not_started: 2,
        running: 1,
        rolling_back: 1,
        rollback_failed: 3,
        on_hold: 1,
        paused: 1,
      };
      assert.deepEqual(await store.tasks.countLive(), counts);
      await commitOf(store.tasks, many[0]!, nextOf(many[0]!, { status: 2 }));
      await commitOf(store.tasks, many[2]!, endedOf(many[2]!));
      const { tasks } = await store.reopen();
      assert.deepEqual(await tasks.countLive(), { ...counts, not_started: 1 });
    },
  );
}

function describeStarted(rule: StoreRule): void {
  rule('live tasks of a flow are counted, those of all its versions', async (store) => {
    assert.equal(await store.started.countStarted('a', 9), 0);
    const statuses = [1, 2, 3, 5, 7, 8, 0, 4, 6] as const;
    const [first, ...rest] = statuses.map((status, n) => {
      return sampleTask({ flow: 'a', flowVersion: n + 1 }, { status, ...restOf(status) });
    });
    await insertAll(store.tasks, [first!, ...rest, sampleTask({ flow: 'b' })]);
    assert.equal(await store.started.countStarted('a', 9), 6);
    assert.equal(await store.started.countStarted('a', 4), 4);
    await commitOf(store.tasks, first!, endedOf(first!));
    const { started } = await store.reopen();
    assert.equal(await started.countStarted('a', 9), 5);
    assert.equal(await started.countStarted('b', 9), 1);
  });

  rule('among the live tasks of a flow are no child tasks', async ({ started, tasks }) => {
    const parent = { taskId: 'p', run: 'fleet', index: 0, isPart: true, depth: 1, root: 'r' };
    const parts = Array.from({ length: 5 }, (_, index) => {
      return sampleTask({ flow: 'a', parent: { ...parent, index } });
    });
    const failure = sampleTask({ flow: 'a', parent: { ...parent, run: '', isPart: false } });
    await insertAll(tasks, [...parts, failure, sampleTask({ flow: 'a' })]);
    assert.equal(await started.countStarted('a', 9), 1);
  });

  rule('those that were stored at once are all counted', async ({ started, tasks }) => {
    for (let round = 1; round <= 5; round += 1) {
      await insertAll(
        tasks,
        Array.from({ length: 20 }, () => sampleTask({ flow: 'a' })),
      );
      assert.equal(await started.countStarted('a', 1_000), round * 20);
    }
  });
}

/** A final task is not looked at again. */
function restOf(status: Task['status']): Pick<Task, 'wakeAt'> {
  return { wakeAt: isFinal(status) ? null : SAMPLE_TIME };
}

function dueAt(wakeAt: number): Task {
  return sampleTask({}, { wakeAt });
}
