import { describe, expect, it } from '@jest/globals';
import { nextOf, sampleTask } from '#testing';
import type { Task } from '#core';
import { TaskCache, type KnownTask } from './task-cache.js';

describe('the cache of tasks', () => {
  it('finds what was kept last', () => {
    const cache = new TaskCache({ tasks: 10, characters: 1_000 });
    const task = sampleTask();
    const next = nextOf(task);
    cache.keep(known(task));
    cache.keep(known(next));
    expect(cache.find(task.plan.taskId)?.task).toBe(next);
    expect(cache.peek(task.plan.taskId)?.task).toBe(next);
  });

  it('drops the tasks that were not used for longest, when there are too many', () => {
    const cache = new TaskCache({ tasks: 2, characters: 1_000 });
    const [a, b, c] = [sampleTask(), sampleTask(), sampleTask()];
    cache.keep(known(a));
    cache.keep(known(b));
    cache.find(a.plan.taskId);
    cache.keep(known(c));
    expect([a, b, c].map((task) => cache.peek(task.plan.taskId) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('drops tasks when their texts are too long together, even the only one', () => {
    const cache = new TaskCache({ tasks: 10, characters: 100 });
    const [a, b, c] = [sampleTask(), sampleTask(), sampleTask()];
    cache.keep(known(a, 60));
    cache.keep(known(a, 50));
    cache.keep(known(b, 50));
    expect(cache.peek(a.plan.taskId)).toBeDefined();
    cache.forget(a.plan.taskId);
    cache.keep(known(c, 101));
    expect([a, b, c].some((task) => cache.peek(task.plan.taskId) !== undefined)).toBe(false);
    cache.keep(known(a, 100));
    expect(cache.peek(a.plan.taskId)).toBeDefined();
  });

  function known(task: Task, weight = 1): KnownTask {
    return { task, row: 1, fragments: null, journalStored: 1, weight };
  }
});
