import { describe, expect, it } from '@jest/globals';
import type { ChildCounts, Task, TaskStatus } from '#core';
import type { ChildrenPlan } from '#core/children';
import type { ChildRange, ChildStore } from '#ports';
import { MemoryChildren } from '#testing';
import { ChildCounter } from './child-counter.js';

const BLOCK = 4;
const PARENT = { taskId: 'parent', run: 'each#1' };
const TASK = { plan: { taskId: PARENT.taskId } } as Pick<Task, 'plan'>;

/** Child tasks in memory; notes the size of each range that is counted. */
class Family {
  readonly #tasks = new Map<string, Task>();
  readonly #store = new MemoryChildren(() => this.#tasks);
  scanned: number[] = [];
  readonly counter: ChildCounter;

  constructor(private readonly total: number) {
    const store: ChildStore = {
      count: async (range) => {
        const counts = await this.#store.count(range);
        this.scanned.push(counts.found);
        return counts;
      },
      find: (query) => this.#store.find(query),
    };
    this.counter = new ChildCounter(store, BLOCK);
  }

  put(indexes: readonly number[], status: TaskStatus): void {
    for (const index of indexes) {
      const parent = { ...PARENT, index };
      this.#tasks.set(`child-${index}`, {
        plan: { taskId: `child-${index}`, parent },
        status,
      } as never);
    }
  }

  forget(index: number): void {
    this.#tasks.delete(`child-${index}`);
  }

  /** Counts, and tells how many entries were read for it at most. */
  async look(way: ChildrenPlan['way'] = 'forward'): Promise<ChildCounts & { read: number }> {
    this.scanned = [];
    const plan = { run: PARENT.run, way, tally: { started: this.total } } as ChildrenPlan;
    const counts = await this.counter.count(TASK, plan);
    return { ...counts, read: this.scanned.reduce((sum, count) => sum + count, 0) };
  }

  exact(range: Partial<ChildRange> = {}): Promise<ChildCounts> {
    return this.#store.count({ ...PARENT, ...range });
  }
}

const range = (from: number, end: number): number[] =>
  Array.from({ length: end - from }, (_, n) => from + n);

describe('the counter of child tasks', () => {
  it('reads what is over once, and keeps the block of a slow one open', async () => {
    const family = new Family(100);
    family.put(range(0, 80), 0);
    family.put([2], 2);
    family.put(range(80, 100), 2);
    const first = await family.look();
    expect(first).toMatchObject({ found: 100, succeeded: 79, active: 21 });
    const second = await family.look();
    expect(second).toMatchObject({ found: 100, succeeded: 79, active: 21 });
    // The block of the slow one, and those that are under way.
    expect(second.read).toBe(BLOCK + 20);
  });

  it('tells the exact counts while they end in any order', async () => {
    const family = new Family(64);
    family.put(range(0, 64), 2);
    for (const index of range(0, 64)) {
      family.put([(index * 37) % 64], index % 5 === 0 ? 4 : 0);
      const { read: _, ...counts } = await family.look();
      expect(counts).toEqual(await family.exact());
    }
  });

  it('keeps a block open in which one was never stored', async () => {
    const family = new Family(64);
    family.put(range(0, 64), 0);
    family.forget(9);
    await family.look();
    const again = await family.look();
    expect(again).toMatchObject({ found: 63, succeeded: 63, active: 0 });
    expect(again.read).toBe(BLOCK - 1);
    family.put([9], 2);
    expect(await family.look()).toMatchObject({ found: 64, active: 1 });
  });

  it('believes that all are over only when all are counted', async () => {
    const family = new Family(64);
    family.put(range(0, 60), 0);
    family.put(range(60, 64), 2);
    await family.look();
    family.put(range(60, 64), 0);
    expect((await family.look()).read).toBeGreaterThanOrEqual(64);
  });

  it('counts anew when their parent turns, and settles those that are undone', async () => {
    const family = new Family(64);
    family.put(range(0, 60), 0);
    family.put(range(60, 64), 2);
    await family.look();
    family.put(range(32, 64), 4);
    family.put([31], 3);
    expect(await family.look('back')).toMatchObject({ succeeded: 31, failed: 32, active: 1 });
    const again = await family.look('back');
    expect(again).toMatchObject({ succeeded: 31, failed: 32, active: 1, read: 32 });
    family.put(range(0, 32), 4);
    expect(await family.look('back')).toMatchObject({ succeeded: 0, failed: 64, active: 0 });
  });

  it('remembers nothing of one way on the other', async () => {
    const family = new Family(64);
    family.put(range(0, 64), 0);
    family.put([63], 2);
    await family.look();
    family.put(range(0, 64), 3);
    expect(await family.look('back')).toMatchObject({ succeeded: 0, failed: 0, active: 64 });
  });
});
