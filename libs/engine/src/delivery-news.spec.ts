import { expect, it } from '@jest/globals';
import { done, EngineWorld, flow, chain, settle } from '#testing';
import type { DeliveryNews } from '#ports';

/** A world in which one command runs at a time, and what it tells of its messages. */
async function worldWithOneSlot(): Promise<{ world: EngineWorld; news: DeliveryNews[] }> {
  const world = new EngineWorld({ settings: { concurrency: 1 } });
  const news: DeliveryNews[] = [];
  Object.assign(world.observer, { delivered: (one: DeliveryNews) => void news.push(one) });
  await world.engine.start();
  return { world, news };
}

async function stop({ clock, engine }: EngineWorld): Promise<void> {
  const stopped = engine.stop();
  await clock.advance(10_000);
  await stopped;
}

it('a message is told as put off, as claimed with its wait, and as stale once it was', async () => {
  const { news, world } = await worldWithOneSlot();
  let finish = (): void => {};
  const busy = new Promise<void>((resolve) => {
    finish = resolve;
  });
  world.commands.scripts.set('m.a', async () => {
    await busy;
    return done();
  });
  await world.submit(flow(chain(['a']).steps));
  const waiting = await world.submit(flow(chain(['b']).steps));
  const [message] = world.transport.sent;
  expect(message?.message.taskId).toBe(waiting.plan.taskId);
  await world.clock.advance(5_000);
  expect(news).toEqual([{ module: 'm', outcome: 'later', waitedMs: null }]);

  finish();
  await settle();
  world.transport.deliver(message!);
  await settle();
  expect(news[1]).toEqual({ module: 'm', outcome: 'claimed', waitedMs: 5_000 });
  world.transport.deliver(message!);
  await settle();
  expect(news[2]).toEqual({ module: 'm', outcome: 'stale', waitedMs: null });
  await stop(world);
});

it.each([60, -60])('a priority of %d neither adds to the wait nor hides it', async (priority) => {
  const { news, world } = await worldWithOneSlot();
  let finish = (): void => {};
  const busy = new Promise<void>((resolve) => {
    finish = resolve;
  });
  world.commands.scripts.set('m.a', async () => {
    await busy;
    return done();
  });
  await world.submit(flow(chain(['a']).steps));
  const definition = { definition: flow(chain(['b']).steps), version: 1 };
  await world.engine.submit(definition, { parameters: {}, priority });
  await settle();
  await world.clock.advance(3_000);
  finish();
  await settle();
  world.transport.deliver(world.transport.sent[0]!);
  await settle();
  expect(news.at(-1)).toEqual({ module: 'm', outcome: 'claimed', waitedMs: 3_000 });
  await stop(world);
});
