import assert from 'node:assert/strict';
import { StoreUnavailable } from '#ports';
import { within } from '../deadline.js';
import { assertStored, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { SAMPLE_TIME, nextOf, sampleTask } from './sample-task.js';

/** Rules of readiness and of the end of a store. */
export function describeStoreClose(rule: StoreRule): void {
  rule('an open store is ready', ({ tasks }) => tasks.ping());

  rule('closing finishes what was accepted and may be repeated', async (store) => {
    const { tasks } = store;
    const [old, young] = [sampleTask(), sampleTask()];
    await insertAll(tasks, [old]);
    const next = nextOf(old);
    const accepted = Promise.all([tasks.insert(young), tasks.commit(old, next)]);
    await within('closed', Promise.all([tasks.close(), tasks.close()]));
    assert.deepEqual(await accepted, [{ kind: 'inserted' }, 'committed']);
    await within('closed again', tasks.close());
    const reopened = await store.reopen();
    await assertStored(reopened.tasks, young);
    await assertStored(reopened.tasks, next);
  });

  rule('a closed store refuses at once', async ({ tasks, flows, started }) => {
    const task = sampleTask();
    await insertAll(tasks, [task]);
    await tasks.close();
    const calls = [
      () => tasks.insert(sampleTask()),
      () => tasks.commit(task, nextOf(task)),
      () => tasks.get(task.plan.taskId),
      () => tasks.findByKey('k'),
      () => tasks.findDue(SAMPLE_TIME, 5),
      () => tasks.list({ limit: 5 }),
      () => tasks.countLive(),
      () => started.countStarted('a', 5),
      () => tasks.ping(),
      () => flows.getFlow('a'),
      () => flows.listFlows(),
    ];
    for (const call of calls) await within('refused', assert.rejects(call, StoreUnavailable));
  });
}
