import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { ManualClock, settle } from '#testing';
import { Batcher, type Entry } from './batcher.js';

const LIMITS = { batchMax: 4, batchesMax: 1, gatherMs: 10, limitMs: 100 };

type Numbers = readonly Entry<number, number>[];

/** A batcher whose batches end when the test says so. */
function held(more: { batchMax?: number; batchesMax?: number } = {}) {
  const clock = new ManualClock();
  const batches: Numbers[] = [];
  const ends: (() => void)[] = [];
  const run = (entries: Numbers): Promise<void> => {
    batches.push(entries);
    return new Promise((resolve) => {
      ends.push(() => {
        for (const { item, resolve: settleEntry } of entries) settleEntry(item * 2);
        resolve();
      });
    });
  };
  const batcher = new Batcher({ clock, ...LIMITS, run, ...more });
  const sizes = (): number[] => batches.map((entries) => entries.length);
  return { batcher, clock, ends, sizes };
}

describe('a batcher', () => {
  it('does what one turn asks for in one batch, and each gets its own result', async () => {
    const { batcher, ends, sizes } = held();
    const results = [1, 2, 3].map((item) => batcher.submit(item));
    await settle();
    expect(sizes()).toEqual([3]);
    ends[0]?.();
    expect(await Promise.all(results)).toEqual([2, 4, 6]);
  });

  it('gathers what comes while all batches are under way', async () => {
    const { batcher, ends, sizes } = held();
    const results = [batcher.submit(1)];
    await settle();
    results.push(batcher.submit(2), batcher.submit(3));
    await settle();
    expect(sizes()).toEqual([1]);
    ends[0]?.();
    await settle();
    await settle();
    expect(sizes()).toEqual([1, 2]);
    ends[1]?.();
    expect(await Promise.all(results)).toEqual([2, 4, 6]);
  });

  it('keeps to the size of a batch and to the number of batches', async () => {
    const { batcher, sizes } = held({ batchMax: 2, batchesMax: 2 });
    for (let item = 0; item < 7; item += 1) void batcher.submit(item);
    await settle();
    expect(sizes()).toEqual([2, 2]);
  });

  it('does not wait beside a batch that is not larger', async () => {
    const { batcher, sizes } = held({ batchesMax: 3 });
    for (let item = 0; item < 3; item += 1) {
      void batcher.submit(item);
      await settle();
    }
    expect(sizes()).toEqual([1, 1, 1]);
  });

  it('gathers beside a larger batch until it is as large', async () => {
    const { batcher, sizes } = held({ batchesMax: 2 });
    for (let item = 0; item < 3; item += 1) void batcher.submit(item);
    await settle();
    for (let item = 0; item < 2; item += 1) {
      void batcher.submit(item);
      await settle();
    }
    expect(sizes()).toEqual([3]);
    void batcher.submit(2);
    await settle();
    expect(sizes()).toEqual([3, 3]);
  });

  it('stops gathering when the larger batch ends', async () => {
    const { batcher, ends, sizes } = held({ batchesMax: 2 });
    for (let item = 0; item < 3; item += 1) void batcher.submit(item);
    await settle();
    void batcher.submit(3);
    await settle();
    expect(sizes()).toEqual([3]);
    ends[0]?.();
    await settle();
    await settle();
    expect(sizes()).toEqual([3, 1]);
  });

  it('gathers no longer than it may beside a batch that does not end', async () => {
    const { batcher, clock, sizes } = held({ batchesMax: 3 });
    for (let item = 0; item < 4; item += 1) void batcher.submit(item);
    await settle();
    void batcher.submit(4);
    await settle();
    await clock.advance(9);
    void batcher.submit(5);
    await settle();
    expect(sizes()).toEqual([4]);
    await clock.advance(1);
    expect(sizes()).toEqual([4, 2]);
    void batcher.submit(6);
    await settle();
    await clock.advance(10);
    expect(sizes()).toEqual([4, 2, 1]);
  });

  it('turns away what waited too long, without doing it', async () => {
    const { batcher, clock, ends, sizes } = held({ batchMax: 1 });
    const first = batcher.submit(1);
    await settle();
    const second = batcher.submit(2).catch((error: unknown) => error);
    await clock.advance(101);
    ends[0]?.();
    expect(await first).toBe(2);
    expect(await second).toBeInstanceOf(StoreUnavailable);
    expect(sizes()).toEqual([1]);
  });

  it('closes when what it accepted is settled, and accepts nothing more', async () => {
    const { batcher, ends } = held();
    const result = batcher.submit(1);
    const closed = batcher.close();
    await expect(batcher.submit(2)).rejects.toThrow(StoreUnavailable);
    await settle();
    ends[0]?.();
    await closed;
    expect(await result).toBe(2);
  });

  it('gives the error of a batch to all of its entries', async () => {
    const run = (): Promise<void> => Promise.reject(new Error('broken'));
    const clock = new ManualClock();
    const batcher = new Batcher({ clock, ...LIMITS, run });
    const results = [1, 2].map((item) => batcher.submit(item));
    const settled = await Promise.allSettled(results);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
