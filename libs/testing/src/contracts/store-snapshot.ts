import assert from 'node:assert/strict';
import { Journal, type Task } from '#core';
import type { TaskStore } from '#ports';
import { nextOf, sampleTask } from './sample-task.js';
import { assertSameTask, assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';

/** Ways in which the task that a message carries may be wrong. */
const LIES: Readonly<Record<string, (task: Task) => Task>> = {
  'gave no token so far': (task) => ({ ...task, token: 0 }),
  'has no past': (task) => ({ ...task, journal: Journal.of([]), journalSeq: 0 }),
  'has other parameters': (task) => ({ ...task, plan: { ...task.plan, parameters: { a: 1 } } }),
  'is an older one': (task) => ({ ...task, revision: task.revision - 1 }),
  'is a newer one': (task) => ({ ...task, revision: task.revision + 1 }),
};

/** Rules of tasks that come in messages; a store that has no snapshots keeps them all. */
export function describeSnapshots(rule: StoreRule): void {
  rule('a task that a message tells of is committed without being read', async (store) => {
    const { tasks } = store;
    const { task, told } = await tellOf(tasks);
    if (told === null) return;
    assertSameTask(told, task);
    const next = await commitOf(tasks, told, claimOf(told));
    await assertStored(tasks, next);
    const last = await commitOf(tasks, next, nextOf(next, { cursor: 1 }));
    await assertStored((await store.reopen()).tasks, last);
  });

  rule('a task is told of from its insert on', async ({ tasks }) => {
    const task = sampleTask();
    await insertAll(tasks, [task]);
    const told = recalled(tasks, task);
    if (told === null) return;
    await assertStored(tasks, await commitOf(tasks, told, claimOf(told)));
  });

  rule('what was told of a task that has moved on is a conflict', async ({ tasks }) => {
    const { task, told } = await tellOf(tasks);
    const next = await commitOf(tasks, task, nextOf(task));
    if (told !== null) assert.equal(await tasks.commit(told, claimOf(told)), 'conflict');
    await assertStored(tasks, next);
    const again = recalled(tasks, next);
    if (again !== null) await commitOf(tasks, again, claimOf(again));
  });

  for (const [lie, lying] of Object.entries(LIES)) {
    rule(`a message that lies changes nothing: the task ${lie}`, async ({ tasks }) => {
      const { task } = await tellOf(tasks);
      const told = recalled(tasks, lying(task));
      if (told === null) return;
      assert.equal(await tasks.commit(told, claimOf(told)), 'conflict');
      await assertStored(tasks, task);
    });
  }

  rule('true and false messages at once each have their own result', async ({ tasks }) => {
    const many = Array.from({ length: 20 }, () => ({ ...sampleTask(), token: 3 }));
    await insertAll(tasks, many);
    const told = many.map((task, n) => recalled(tasks, n % 2 === 0 ? task : { ...task, token: 0 }));
    if (told.some((task) => task === null)) return;
    const commits = told.map((task) => tasks.commit(task!, claimOf(task!)));
    const results = await Promise.all(commits);
    const wanted = many.map((_, n) => (n % 2 === 0 ? 'committed' : 'conflict'));
    assert.deepEqual(results, wanted);
  });

  rule('what is no snapshot tells of no task', async ({ tasks }) => {
    for (const text of ['', '{}', 'x', '{"plan":{"steps":"?"},"runs":[]}']) {
      assert.equal(tasks.snapshots?.recall(text) ?? null, null);
    }
  });
}

/** A task at revision 3, and the same from a message. */
async function tellOf(
  tasks: TaskStore,
): Promise<{ readonly task: Task; readonly told: Task | null }> {
  const first = { ...sampleTask(), token: 2 };
  await insertAll(tasks, [first]);
  const second = await commitOf(tasks, first, nextOf(first));
  const task = await commitOf(tasks, second, nextOf(second));
  return { task, told: recalled(tasks, task) };
}

function recalled({ snapshots }: TaskStore, task: Task): Task | null {
  const text = snapshots?.textOf(task) ?? null;
  return text === null ? null : (snapshots?.recall(text) ?? null);
}

/** The next document, in which the only open action has been claimed. */
function claimOf(task: Task): Task {
  const [first, ...rest] = task.runs;
  const lease = { owner: 'o', token: task.token + 1 };
  const normal = { ...first!.normal, state: 'running' as const, attempts: 1, lease, orderAt: null };
  return nextOf(task, { token: lease.token, runs: [{ ...first!, normal }, ...rest] });
}
