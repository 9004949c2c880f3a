import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { makeKey } from '#access';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { OpenRequests } from './open-requests.js';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.open([chain(['a'])], { openPerClient: 2 });
  gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
});
afterAll(() => gateway.close());

/** A request whose task is stored waits. */
async function tasksStored(count: number): Promise<void> {
  while (gateway.world.store.contents.tasks.size < count) await settle();
  await settle();
}

describe('a client', () => {
  it('has so many waiting requests open and no more', async () => {
    const start = () => gateway.post('/v1/tasks?wait=5s', { flow: 'test-flow' });
    const open = [start(), start()];
    await tasksStored(2);
    const many = await gateway.post('/v1/tasks?wait=5s', { flow: 'test-flow' });
    expect([many.statusCode, many.headers['retry-after']]).toEqual([429, '5']);
    expect(many.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    const plain = await gateway.post('/v1/tasks', { flow: 'test-flow' });
    expect(plain.statusCode).toBe(201);
    await gateway.world.clock.advance(5_000);
    expect((await Promise.all(open)).map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    const again = start();
    await tasksStored(4);
    await gateway.world.clock.advance(5_000);
    expect((await again).statusCode).toBe(201);
  });

  it('gives its place back when its request is wrong', async () => {
    for (let n = 0; n < 5; n += 1) {
      const answer = await gateway.post('/v1/tasks?wait=5s', { flow: 'nothing' });
      expect(answer.statusCode).toBe(404);
    }
  });
});

describe('a client with a key', () => {
  it('has at most half of what may be open, and leaves the rest to others', async () => {
    const asking = await Gateway.open([chain(['a'])], { asksForKeys: true });
    const { clock, store } = asking.world;
    const open = asking.http.app.get(OpenRequests);
    const enter = jest.spyOn(open, 'enter');
    for (const [place, name] of ['one', 'other'].entries()) {
      const secret = { id: `${place}`.padStart(16, '0'), secret: 's'.repeat(43) };
      const { record, text } = makeKey({ name, role: 'starter' }, secret, clock.now());
      await store.keys.put(record, null);
      const headers = { authorization: `Bearer ${text}` };
      const answer = await asking.post('/v1/tasks?wait=5s', { flow: 'none' }, headers);
      expect(answer.statusCode).toBe(404);
    }
    const [one, other] = enter.mock.calls.map(([request]) => request);
    const streams = Array.from({ length: 500 }, () => open.enter(one!, 'changeStreams'));
    expect(() => open.enter(one!, 'changeStreams')).toThrow('of this client are open');
    open.enter(one!, 'taskStreams')();
    open.enter(other!, 'changeStreams')();
    streams[0]!();
    open.enter(one!, 'changeStreams');
    await asking.close();
  });
});
