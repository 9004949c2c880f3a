import { afterEach, expect, it } from '@jest/globals';
import { action, EngineWorld, flow, type HeldTransport, ManualClock } from '#testing';
import { RecordingObserver, settle } from '#testing';
import { openMemoryTransport } from '#transport-memory';

let world: EngineWorld;
afterEach(async () => {
  const stopped = world.engine.stop();
  await world.clock.advance(10_000);
  await stopped;
});

it('a poll of several modules gets what was queued first, whichever module it is of', async () => {
  const clock = new ManualClock();
  const lines = openMemoryTransport({ clock, observer: new RecordingObserver() });
  // No fault of a transport is wanted here.
  world = new EngineWorld({ clock, executor: false, transport: lines as HeldTransport });
  await world.engine.start();
  const ids: string[] = [];
  for (const module of ['n', 'm', 'o', 'm', 'n', 'o']) {
    const step = { name: 'a', needs: [], normal: action(`${module}.a`), rollback: null };
    ids.push((await world.submit(flow([step]))).plan.taskId);
    await clock.advance(10);
  }
  const fetched: string[] = [];
  for (const [max, modules] of [
    [1, ['m', 'n', 'o']],
    [4, ['o', 'n', 'm']],
    [1, ['m', 'o', 'n']],
  ] as const) {
    const order = { worker: 'w', modules, max, waitMs: 20_000, leaseMs: 30_000 };
    const answer = world.engine.desk.poll(order, new AbortController().signal);
    for (let n = 0; n < 5; n += 1) await settle();
    fetched.push(...(await answer).items.map(({ taskId }) => taskId));
  }
  expect(fetched).toEqual(ids);
});
