import { describe, expect, it } from '@jest/globals';
import { eventfulTask, nextOf, sampleTask } from '#testing';
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

  it('drops tasks that were not used for long, when there are too many', () => {
    const cache = new TaskCache({ tasks: 4, characters: 1_000 });
    const tasks = Array.from({ length: 8 }, () => sampleTask());
    const [first] = tasks;
    for (const task of tasks) {
      cache.keep(known(task));
      expect(cache.find(first!.plan.taskId)?.task).toBe(first);
      expect(tasks.filter(({ plan }) => cache.peek(plan.taskId)).length).toBeLessThanOrEqual(4);
    }
    expect(cache.peek(tasks[7]!.plan.taskId)).toBeDefined();
    expect(cache.peek(tasks[1]!.plan.taskId)).toBeUndefined();
  });

  it('holds few when their texts are long, and none that would push out all others', () => {
    const cache = new TaskCache({ tasks: 100, characters: 100 });
    const tasks = Array.from({ length: 20 }, () => sampleTask());
    for (const task of tasks) cache.keep(known(task, 20));
    const held = tasks.filter(({ plan }) => cache.peek(plan.taskId));
    expect(held.length).toBeGreaterThanOrEqual(2);
    expect(held.length).toBeLessThanOrEqual(6);
    const [last] = held.slice(-1);
    cache.keep(known(last!, 51));
    expect(cache.peek(last!.plan.taskId)).toBeUndefined();
    expect(held.filter(({ plan }) => cache.peek(plan.taskId))).toHaveLength(held.length - 1);
  });

  it('keeps those with an action that runs, however much else is used', () => {
    const cache = new TaskCache({ tasks: 100, characters: 100 });
    const running = Array.from({ length: 3 }, () => eventfulTask());
    for (const task of running) cache.keep(known(task, 15));
    for (let n = 0; n < 50; n += 1) cache.keep(known(sampleTask(), 20));
    expect(running.filter(({ plan }) => !cache.peek(plan.taskId))).toEqual([]);
    for (const { plan } of running) cache.forget(plan.taskId);
    expect(running.filter(({ plan }) => cache.peek(plan.taskId))).toEqual([]);
  });

  it('drops those that only wait while others come and are forgotten', () => {
    const cache = new TaskCache({ tasks: 10, characters: 1_000 });
    const waiting = Array.from({ length: 4 }, () => sampleTask());
    const running = eventfulTask();
    for (const task of [...waiting, running]) cache.keep(known(task));
    for (let n = 0; n < 20; n += 1) {
      const passing = sampleTask();
      cache.keep(known(passing));
      cache.forget(passing.plan.taskId);
    }
    expect(waiting.filter(({ plan }) => cache.peek(plan.taskId))).toEqual([]);
    expect(cache.peek(running.plan.taskId)).toBeDefined();
  });

  it('drops even those when there are more of them than it may hold', () => {
    const cache = new TaskCache({ tasks: 8, characters: 100 });
    const many = Array.from({ length: 100 }, () => eventfulTask());
    const holds = (tasks: readonly Task[]): number =>
      tasks.filter(({ plan }) => cache.peek(plan.taskId)).length;
    for (const task of many) cache.keep(known(task));
    expect(holds(many)).toBeLessThanOrEqual(10);
    const heavy = Array.from({ length: 100 }, () => eventfulTask());
    for (const task of heavy) cache.keep(known(task, 20));
    expect(holds(heavy)).toBeLessThanOrEqual(8);
    expect(holds(heavy.slice(-1))).toBe(1);
  });

  it('forgets what it is told to, of either age, and has its room again', () => {
    const cache = new TaskCache({ tasks: 4, characters: 1_000 });
    const tasks = Array.from({ length: 4 }, () => sampleTask());
    for (const task of tasks) cache.keep(known(task));
    for (const { plan } of tasks) cache.forget(plan.taskId);
    expect(tasks.filter(({ plan }) => cache.find(plan.taskId))).toEqual([]);
    for (let n = 0; n < 100; n += 1) {
      const passing = sampleTask();
      cache.keep(known(passing, 400));
      cache.forget(passing.plan.taskId);
    }
    cache.keep(known(tasks[0]!, 400));
    expect(cache.peek(tasks[0]!.plan.taskId)).toBeDefined();
  });

  function known(task: Task, weight = 1): KnownTask {
    const journal = { journalStored: 1, journalTail: 1, segments: 0 };
    const places = { apart: 0, reached: -1, warm: -1 };
    return { task, row: 1, fragments: null, ...places, ...journal, weight };
  }
});
