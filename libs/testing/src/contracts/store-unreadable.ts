import assert from 'node:assert/strict';
import { type Task, type TaskPlan } from '#core';
import { isUnreadable, type TaskStore, TaskUnreadable, type WalkedTask } from '#ports';
import type { RecordingObserver } from '../recording-observer.js';
import { testRunner } from './runner.js';
import { longTask, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';
import { assertSameTask, dueIds, idsOf, insertAll, walkAll } from './store-expectations.js';

/** A store whose documents somebody changes by hand. */
export interface BreakableStore {
  readonly tasks: TaskStore;
  /** Records the notices of the store since it was opened last. */
  readonly observer: RecordingObserver;
  /** Breaks a stored task in a way of this store's, and opens the store again if it must. */
  breakTask(taskId: string, way: string): Promise<BreakableStore>;
  /** Puts everything back as it was before it was broken. */
  mend(): Promise<BreakableStore>;
  dispose(): Promise<void>;
}

const LATER = SAMPLE_TIME + 1_000_000;
const PAGE = 200;

/**
 * The rules for documents that cannot be read, for each way in which a store's can be broken: they
 * are listed, they are left as they are, and they hinder no other task. A way that begins with
 * `long:` breaks a task of many steps.
 */
export function unreadableContract(
  openStore: () => Promise<BreakableStore>,
  ways: readonly string[],
): void {
  const { describe, it } = testRunner();
  const inStore = (body: (store: BreakableStore) => Promise<BreakableStore>) => async () => {
    let store = await openStore();
    try {
      store = await body(store);
    } finally {
      await store.dispose();
    }
  };
  describe('documents that cannot be read', () => {
    it(
      'are seen, each way of being broken, while all others go on',
      inStore((store) => allAreSeen(store, ways)),
      60_000,
    );
    it(
      'go on by themselves once they are mended',
      inStore((store) => goesOn(store, ways)),
      60_000,
    );
    it(
      'never crowd out others that are due, however many they are',
      inStore((store) => crowd(store, ways[0]!)),
      120_000,
    );
  });
}

async function allAreSeen(first: BreakableStore, ways: readonly string[]): Promise<BreakableStore> {
  let store = first;
  const broken = ways.map((way) => taskFor(way, { idempotencyKey: `key of ${way}` }));
  const sound = Array.from({ length: 5 }, () => sampleTask());
  await insertAll(store.tasks, [...broken, ...sound]);
  for (const [n, way] of ways.entries()) {
    store = await store.breakTask(broken[n]!.plan.taskId, way);
  }
  const { observer, tasks } = store;
  const walked = await walkAll(tasks, {});
  assertStubs(ways, broken, walked);
  for (const [n, task] of broken.entries()) await assertRefused(tasks, task, ways[n]!);
  assert.deepEqual(await dueIds(tasks, LATER), idsOf(sound));
  const { items } = await tasks.list({ limit: PAGE });
  assert.equal(items.length, broken.length + sound.length);
  const unreadable = items.filter(isUnreadable).map(({ taskId }) => taskId);
  assert.deepEqual(unreadable.sort(), idsOf(broken));
  assert.equal((await tasks.countLive())['unreadable'], ways.length);
  for (const task of sound) {
    assert.equal(await tasks.commit(task, nextOf(task, { wakeAt: LATER * 2 })), 'committed');
  }
  for (let round = 0; round < 3; round += 1) assert.deepEqual(await dueIds(tasks, LATER), []);
  const told = observer.notices.filter(({ name }) => name === 'unreadable_task');
  assert.deepEqual(told.map(({ taskId }) => taskId ?? '').toSorted(), idsOf(broken));
  return store;
}

function taskFor(way: string, plan: Partial<TaskPlan> = {}): Task {
  return way.startsWith('long:') ? longTask(plan) : sampleTask(plan);
}

function assertStubs(
  ways: readonly string[],
  broken: readonly Task[],
  walked: readonly WalkedTask[],
): void {
  const items = walked.map(({ item }) => item);
  for (const [n, { plan }] of broken.entries()) {
    const stub = items.filter(isUnreadable).find(({ taskId }) => taskId === plan.taskId);
    assert.ok(stub !== undefined, `a task of ${ways[n]} is read`);
    assert.ok(stub.reason.length > 0);
    assert.ok(!stub.reason.includes('größe'), 'a reason quotes nothing');
  }
  assert.equal(items.length, broken.length + 5);
}

async function assertRefused(tasks: TaskStore, { plan }: Task, way: string): Promise<void> {
  const { idempotencyKey, taskId } = plan;
  const refused = (error: unknown): boolean => {
    assert.ok(error instanceof TaskUnreadable, `${way}: ${String(error)}`);
    assert.equal(error.taskId, taskId);
    return true;
  };
  await assert.rejects(tasks.get(taskId), refused);
  if (idempotencyKey === null) return;
  await assert.rejects(tasks.findByKey(idempotencyKey), refused);
  await assert.rejects(tasks.insert(sampleTask({ idempotencyKey })), refused);
}

async function goesOn(first: BreakableStore, ways: readonly string[]): Promise<BreakableStore> {
  let store = first;
  const tasks = ways.map((way) => taskFor(way));
  await insertAll(store.tasks, tasks);
  for (const [n, way] of ways.entries()) {
    store = await store.breakTask(tasks[n]!.plan.taskId, way);
  }
  assert.deepEqual(await dueIds(store.tasks, LATER), []);
  store = await store.mend();
  for (const task of tasks) assertSameTask(await store.tasks.get(task.plan.taskId), task);
  assert.deepEqual(await dueIds(store.tasks, LATER), idsOf(tasks));
  assert.equal((await store.tasks.countLive())['unreadable'], 0);
  const { items } = await store.tasks.list({ limit: PAGE });
  assert.equal(items.filter(isUnreadable).length, 0);
  return store;
}

async function crowd(first: BreakableStore, way: string): Promise<BreakableStore> {
  const broken = Array.from({ length: 1_000 }, (_, n) => {
    return sampleTask({ labels: { crowd: 'yes' } }, { wakeAt: SAMPLE_TIME + n });
  });
  const sound = Array.from({ length: 7 }, () => sampleTask({}, { wakeAt: SAMPLE_TIME + 50_000 }));
  await insertAll(first.tasks, [...broken, ...sound]);
  const store = await first.breakTask('*', way);
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(idsOf(await store.tasks.findDue(LATER, PAGE)), idsOf(sound));
    assert.equal((await store.tasks.findDue(LATER, 3, { skip: 2 })).length, 3);
    assert.deepEqual(await store.tasks.findDue(LATER, PAGE, { skip: 7 }), []);
  }
  return store;
}
