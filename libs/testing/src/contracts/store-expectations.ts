import assert from 'node:assert/strict';
import type { Task, TaskStatus } from '#core';
import { summaryOf } from '#core/stored';
import { isUnreadable, type ListedTask, type TaskFilter } from '#ports';
import type { TaskQuery, TaskStore, WalkedTask } from '#ports';

/** Stores new tasks at once and checks that each was. */
export async function insertAll(store: TaskStore, tasks: readonly Task[]): Promise<void> {
  const results = await Promise.all(tasks.map((task) => store.insert(task)));
  for (const result of results) assert.equal(result.kind, 'inserted');
}

/** Commits `next` and checks that it was stored. */
export async function commitOf(store: TaskStore, previous: Task, next: Task): Promise<Task> {
  assert.equal(await store.commit(previous, next), 'committed');
  return next;
}

/** Checks that the store has exactly this document. */
export async function assertStored(store: TaskStore, expected: Task): Promise<void> {
  assertSameTask(await store.get(expected.plan.taskId), expected);
}

/**
 * Compares documents as JSON values: a member that is `undefined` does not exist. The index is left
 * out: it follows from the rest and is not stored.
 */
export function assertSameTask(actual: Task | null, expected: Task): void {
  assert.ok(actual !== null, 'the task is not there');
  assertSameJson({ ...actual, index: null }, { ...expected, index: null });
  assert.equal(
    JSON.stringify(actual.plan.parameters),
    JSON.stringify(expected.plan.parameters),
    'parameters are kept to the byte, order of members included',
  );
}

/** Ids of a page's tasks, in order. */
export async function listedIds(store: TaskStore, query: Partial<TaskQuery>): Promise<string[]> {
  const page = await store.list({ limit: 200, ...query });
  return page.items.map(({ taskId }) => taskId);
}

/** Checks that a list shows this document. */
export function assertListed(actual: ListedTask | undefined, expected: Task): void {
  assert.ok(actual !== undefined, 'the task is not listed');
  assertSameJson(actual, summaryOf(expected));
}

/** Every task that a walk comes to. */
export async function walkAll(store: TaskStore, filter: TaskFilter): Promise<WalkedTask[]> {
  const walked: WalkedTask[] = [];
  for await (const step of store.walk(filter)) walked.push(step);
  return walked;
}

/** The whole tasks of a walk, all of which can be read. */
export function tasksOf(walked: readonly WalkedTask[]): readonly Task[] {
  return walked.map(({ item }) => {
    assert.ok(!isUnreadable(item), 'a task cannot be read');
    return item;
  });
}

/** Ids of the tasks that are due, sorted. */
export async function dueIds(store: TaskStore, now: number, limit = 1_000): Promise<string[]> {
  const due = await store.findDue(now, limit);
  return due.map((task) => task.plan.taskId).sort();
}

/** Ids of tasks, sorted. */
export function idsOf(tasks: readonly Task[]): string[] {
  return tasks.map((task) => task.plan.taskId).sort();
}

/** All statuses that a task may have. */
export const ALL_STATUSES: readonly TaskStatus[] = [0, 1, 2, 3, 4, 5, 6];

/** Compares values as JSON writes them, whatever the order of their members. */
export function assertSameJson(actual: unknown, expected: unknown): void {
  const texts = [JSON.stringify(actual), JSON.stringify(expected)] as const;
  // Mostly the order is the same, too; large documents are then not read again.
  if (texts[0] !== texts[1]) assert.deepEqual(JSON.parse(texts[0]), JSON.parse(texts[1]));
}
