import assert from 'node:assert/strict';
import { it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Task } from '#core';
import { actionsIn } from '#core/flow';
import { summaryOf } from '#core/stored';
import { isUnreadable, type TaskStore } from '#ports';
import { assertSameJson, type OpenStore, type StoreFixture } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from './budget.js';
import { committedTask, hostileParts, type HostileParts, hostileTask } from './hostile-task.js';

const PARTS_MAX = 12;

/**
 * Whatever a task is made of comes back as it was: at once, after a commit, by key and by list, and
 * from the store opened again.
 */
export function storeKeeps(openStore: OpenStore, gateRuns: number): void {
  it(
    'every part of a task comes back as it was, also from the store opened anew',
    async () => {
      let fixture = await openStore();
      let number = 0;
      const keeps = async (all: readonly HostileParts[]): Promise<void> => {
        const tasks = all.map((parts) => hostileTask(parts, (number += 1)));
        const stored = await putAll(fixture.tasks, tasks, all);
        await readAll(fixture, stored);
        fixture = await fixture.reopen();
        await readAll(fixture, stored);
        const polluted = Object.keys(Object.prototype);
        assert.deepEqual(polluted, []);
      };
      try {
        const some = fc.array(hostileParts, { minLength: 1, maxLength: PARTS_MAX });
        await fc.assert(fc.asyncProperty(some, keeps), fuzzBudget(gateRuns));
      } finally {
        await fixture.dispose();
      }
    },
    FUZZ_TIMEOUT_MS,
  );
}

/** Inserts all at once, then commits all at once: what the store writes together. */
async function putAll(
  store: TaskStore,
  tasks: readonly Task[],
  all: readonly HostileParts[],
): Promise<readonly Task[]> {
  const inserted = await Promise.all(tasks.map((task) => store.insert(task)));
  for (const { kind } of inserted) assert.equal(kind, 'inserted');
  for (const task of tasks) sameTask(await store.get(task.plan.taskId), task);
  const next = tasks.map((task, index) => committedTask(task, all[index]!));
  const results = await Promise.all(next.map((task, index) => store.commit(tasks[index]!, task)));
  for (const result of results) assert.equal(result, 'committed');
  return next;
}

async function readAll({ tasks }: StoreFixture, stored: readonly Task[]): Promise<void> {
  for (const task of stored) {
    const { flow, idempotencyKey, labels, taskId } = task.plan;
    sameTask(await tasks.get(taskId), task);
    if (idempotencyKey !== null) sameTask(await tasks.findByKey(idempotencyKey), task);
    const { items } = await tasks.list({ flow, labels, limit: 10 });
    assert.equal(items.length, 1, `flow and labels find the task: ${JSON.stringify(labels)}`);
    assertSameJson(items[0], summaryOf(task));
    for await (const { item } of tasks.walk({ flow, labels })) {
      assert.ok(!isUnreadable(item), 'the task cannot be read');
      sameTask(item, task);
    }
  }
}

/** Equal as JSON writes them, the order of members included where it is the owner's. */
function sameTask(actual: Task | null, expected: Task): void {
  assert.ok(actual !== null, 'the task is not there');
  assertSameJson(actual, expected);
  const owners = ({ plan, runs }: Task): string => {
    const constants = actionsIn(plan.steps).map((action) => action.parameters);
    return JSON.stringify([plan.parameters, constants, runs.map(({ normal }) => normal.output)]);
  };
  assert.equal(owners(actual), owners(expected));
}
