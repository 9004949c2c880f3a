import { afterEach, expect, it } from '@jest/globals';
import { DEFAULT_TIMING, isFinal, type Task } from '#core';
import { createTask, dispatchesOf } from '#core/transitions';
import { chain, EngineWorld, settle } from '#testing';
import type { EngineParts } from './parts.js';
import { Recovery } from './recovery.js';

const worlds: EngineWorld[] = [];

function world(): EngineWorld {
  const made = new EngineWorld();
  worlds.push(made);
  return made;
}

afterEach(async () => {
  for (const { clock, engine } of worlds.splice(0)) {
    const stopped = engine.stop();
    await clock.advance(60_000);
    await stopped;
  }
});

/** Tasks whose only step was taken by a process that is gone: two of them are broken. */
async function leftBehind({ store }: EngineWorld): Promise<readonly Task[]> {
  const former = new EngineWorld();
  former.commands.scripts.set('m.a', () => new Promise(() => undefined));
  for (let n = 0; n < 5; n += 1) await former.submit(chain(['a']));
  const tasks = [...former.store.contents.tasks.values()];
  for (const task of tasks) await store.insert(task);
  const [unreadable, unmovable] = tasks;
  store.unreadable.set(unreadable!.plan.taskId, 'its plan is not JSON');
  const commit = store.commit.bind(store);
  store.commit = async (previous, next) => {
    if (next.plan === unmovable!.plan) throw new Error('this very task is at fault');
    return commit(previous, next);
  };
  return tasks;
}

function endedIn({ store }: EngineWorld): readonly boolean[] {
  return [...store.contents.tasks.values()].map(({ status }) => isFinal(status));
}

it('governance moves every task but those that cannot be read or moved', async () => {
  const w = world();
  const [unreadable, unmovable] = await leftBehind(w);
  await w.engine.start();
  await w.clock.advance(30_000);
  expect(endedIn(w)).toEqual([false, false, true, true, true]);
  expect(w.store.contents.tasks.get(unreadable!.plan.taskId)).toBe(unreadable);
  expect(w.observer.named('governance_failed')).toEqual([]);
  const told = w.observer.named('unmovable_task');
  expect(told.map(({ taskId }) => taskId)).toEqual([unmovable!.plan.taskId]);
  w.store.unreadable.clear();
  await w.clock.advance(2_000);
  expect(endedIn(w)).toEqual([true, false, true, true, true]);
});

it('a restart takes up every task but those that cannot be read or moved', async () => {
  const w = world();
  await leftBehind(w);
  const { observer, store } = w;
  const parts = { observer, store } as unknown as EngineParts;
  const recovery = new Recovery(parts, w.engine.pieces.state);
  await expect(recovery.run()).resolves.toBe(3);
  await settle();
  expect(observer.named('unmovable_task')).toHaveLength(1);
});

it('a message for a task that cannot be read is dropped: governance sends another', async () => {
  const w = world();
  const { store, transport } = w;
  w.commands.scripts.set('m.a', () => new Promise(() => undefined));
  await w.engine.start();
  const moment = { now: w.clock.now(), chance: 0, timing: DEFAULT_TIMING };
  const flow = { definition: chain(['a']), version: 1 };
  const { queued, task } = createTask(flow, { parameters: {} }, { taskId: 't', moment });
  store.contents.tasks.set('t', task);
  store.unreadable.set('t', 'its plan is not JSON');
  await transport.publish(dispatchesOf(task, queued));
  await settle();
  expect(w.commands.calls).toEqual([]);
  store.unreadable.clear();
  await w.clock.advance(10_000);
  expect(w.commands.calls).toEqual(['a:normal']);
});
