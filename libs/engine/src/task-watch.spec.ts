import { describe, expect, it } from '@jest/globals';
import type { Task } from '#core';
import type { TaskStore } from '#ports';
import { ManualClock, MemoryStore, sampleTask } from '#testing';
import { TaskWatch } from './task-watch.js';

/** A store that counts how often it is asked for a task. */
function counted(store: MemoryStore): { readonly store: TaskStore; readonly asked: string[] } {
  const asked: string[] = [];
  const get = (taskId: string): Promise<Task | null> => {
    asked.push(taskId);
    return store.get(taskId);
  };
  return { asked, store: Object.assign(Object.create(store) as TaskStore, { get }) };
}

async function world() {
  const [clock, memory] = [new ManualClock(), new MemoryStore()];
  const { asked, store } = counted(memory);
  const task = sampleTask({ taskId: 'a' });
  await memory.insert(task);
  return { asked, clock, memory, task, watch: new TaskWatch(store, clock) };
}

describe('whoever watches a task', () => {
  it('sees it as it is now, and when another process moves it', async () => {
    const { clock, memory, task, watch } = await world();
    const seen: number[] = [];
    const stop = watch.watch('a', ({ revision }) => seen.push(revision));
    await clock.advance(0);
    expect(seen).toEqual([1]);
    await memory.commit(task, { ...task, revision: 2 });
    await clock.advance(500);
    await clock.advance(5_000);
    expect(seen).toEqual([1, 2]);
    stop();
    expect(clock.timers).toBe(0);
  });

  it('shares the questions to the store with all others who do', async () => {
    const { asked, clock, watch } = await world();
    const stops = Array.from({ length: 100 }, () => watch.watch('a', () => {}));
    await clock.advance(0);
    expect(asked).toHaveLength(100);
    await clock.advance(500);
    expect(asked).toHaveLength(101);
    for (const stop of stops) stop();
    await clock.advance(5_000);
    expect(asked).toHaveLength(101);
  });

  it('waits longer the more tasks are watched: the store is asked 1,000 times a second', async () => {
    const { asked, clock, watch } = await world();
    const stops = Array.from({ length: 4_000 }, (_, n) => watch.watch(`t-${n}`, () => {}));
    // Those that came first have begun with a shorter wait.
    await clock.advance(8_000);
    asked.length = 0;
    await clock.advance(4_000);
    expect(asked.length).toBeLessThanOrEqual(4_000);
    for (const stop of stops) stop();
  });
});
