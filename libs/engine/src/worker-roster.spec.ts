import { describe, expect, it } from '@jest/globals';
import { chain, type EngineWorld } from '#testing';
import type { PollOrder, WorkClaim } from './work-desk.js';
import { WorkerRoster } from './worker-roster.js';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const ORDER: PollOrder = { worker: 'w1', modules: ['m'], max: 1, waitMs: 0, leaseMs: 60_000 };

/** The claim of `w1` on a step `a`, got by a poll. */
async function claimed(made: EngineWorld): Promise<WorkClaim> {
  await made.submit(chain(['a']));
  const { items } = await made.engine.desk.poll(ORDER, new AbortController().signal);
  return items[0]!.claim;
}

describe('a worker that only holds a claim', () => {
  it.each([
    ['has told its commands', { a: { output: { type: 'object' } } }, ['a']],
    ['has only polled', null, ['*']],
  ] as const)('is heard by a gateway that it never polled: it %s', async (_, told, commands) => {
    const made = await world({ executor: false });
    const { desk } = made.engine;
    if (told !== null) await desk.register({ worker: 'w1', modules: { m: told }, slots: 3 });
    const claim = await claimed(made);
    const { clock, store, transport } = made;
    const other = await world({ executor: false, clock, store, transport });
    for (let n = 0; n < 6; n += 1) {
      await clock.advance(15_000);
      await other.engine.desk.heartbeat([{ claim }]);
    }
    await clock.advance(15_000);
    const [seen] = await other.engine.seenExecutors();
    expect(seen).toMatchObject({ instance: 'w1', silentSince: null, commands });
    expect(seen?.outputs ?? null).toEqual(told === null ? null : { a: { type: 'object' } });
  });

  it('is one that lives, at each gateway, where it turned to another one once', async () => {
    const made = await world({ executor: false });
    const { clock, store, transport } = made;
    const other = await world({ executor: false, clock, store, transport });
    const claim = await claimed(made);
    await other.engine.desk.heartbeat([{ claim }]);
    const alive = [expect.objectContaining({ instance: 'w1', silentSince: null })];
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1_000);
      await made.engine.desk.heartbeat([{ claim }]);
      const seen = await Promise.all([made, other].map((one) => one.engine.seenExecutors()));
      expect([second, ...seen]).toEqual([second, alive, alive]);
    }
  });

  it('that has said good-bye is not announced again', async () => {
    const made = await world({ executor: false });
    const claim = await claimed(made);
    await made.engine.desk.goodBye('w1');
    await made.engine.desk.heartbeat([{ claim }]);
    await made.clock.advance(30_000);
    expect(await made.engine.seenExecutors()).toEqual([]);
  });
});

it('a worker that drains is not let go by a look at all of them that was under way', async () => {
  const made = await world({ executor: false });
  const { clock, store } = made;
  const parts = { clock, records: store.records, registry: store, version: '1', busyOf: () => 0 };
  const modules = { m: { a: {} } };
  await new WorkerRoster(parts).register({ worker: 'w1', modules, slots: 1 });
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const records = Object.create(store.records, {
    list: {
      value: async (...order: Parameters<typeof store.records.list>) => {
        const found = await store.records.list(...order);
        await held;
        return found;
      },
    },
  }) as typeof store.records;
  const roster = new WorkerRoster({ ...parts, records });
  await roster.register({ worker: 'w2', modules, slots: 1 });
  const looking = roster.tick(() => true);
  await roster.drain('w1', true);
  expect(await roster.polled(ORDER)).toBe(true);
  release();
  await looking;
  expect(await roster.polled(ORDER)).toBe(true);
});
