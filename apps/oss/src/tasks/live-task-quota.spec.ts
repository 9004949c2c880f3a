import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
let release: () => void;
let counts: number;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a'])], { maxLiveTasks: 5 });
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  gateway.world.commands.scripts.set('m.a', async () => {
    await gate;
    return { kind: 'succeeded', output: null };
  });
  const { store } = gateway.world;
  const countLive = store.countLive.bind(store);
  counts = 0;
  store.countLive = () => {
    counts += 1;
    return countLive();
  };
});
afterEach(async () => {
  release();
  await gateway.close();
});

async function create(times: number, key?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < times; nth++) {
    const headers = key === undefined ? {} : { 'idempotency-key': `${key}-${nth}` };
    statuses.push((await gateway.post('/v1/tasks', { flow: 'test-flow' }, headers)).statusCode);
  }
  return statuses;
}

describe('unfinished tasks', () => {
  it('are bounded, and room comes as they end', async () => {
    expect(await create(7)).toEqual([201, 201, 201, 201, 201, 429, 429]);
    const refused = await gateway.post('/v1/tasks', { flow: 'test-flow' });
    expect(refused.json()).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      detail: expect.stringContaining('BACKSTEP_MAX_LIVE_TASKS'),
    });
    expect(refused.headers['retry-after']).toBe('5');
    release();
    while (Object.values(await gateway.world.store.countLive()).some((n) => n > 0)) await settle();
    await gateway.world.clock.advance(1_000);
    await create(1);
    await settle();
    expect(await create(1)).toEqual([201]);
  });

  it('are counted now and then, not with every request', async () => {
    await create(100);
    expect(counts).toBeLessThanOrEqual(2);
    await gateway.world.clock.advance(1_000);
    await create(100);
    expect(counts).toBeLessThanOrEqual(3);
  });

  it('that were taken already are answered to who repeats the request', async () => {
    expect(await create(5, 'k')).toEqual([201, 201, 201, 201, 201]);
    expect(await create(6, 'k')).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('are taken while the store cannot count them', async () => {
    gateway.world.store.countLive = () => Promise.reject(new Error('away'));
    expect(await create(1)).toEqual([201]);
  });
});

describe('tasks of one key', () => {
  it('come at its rate, twice as many in a row, and keep no other key out', async () => {
    await gateway.close();
    gateway = await Gateway.open([chain(['a'])], { asksForKeys: true, tasksPerKey: 2 });
    const { clock, store } = gateway.world;
    const as = async (name: string, id: string): Promise<Record<string, string>> => {
      const secret = { id: id.repeat(16), secret: 's'.repeat(43) };
      const { record, text } = makeKey({ name, role: 'starter' }, secret, clock.now());
      await store.keys.put(record, null);
      return { authorization: `Bearer ${text}` };
    };
    const [ann, ben] = [await as('ann', 'a'), await as('ben', 'b')];
    const tasks = Array.from({ length: 6 }, () => ({ flow: 'test-flow' }));
    const batch = await gateway.post('/v1/tasks:batch', { tasks }, ann);
    const { results } = batch.json<{ results: readonly { status: number }[] }>();
    expect(results.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429, 429]);
    const refused = await gateway.post('/v1/tasks', { flow: 'test-flow' }, ann);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    const other = await gateway.post('/v1/tasks', { flow: 'test-flow' }, ben);
    expect(other.statusCode).toBe(201);
    await clock.advance(500);
    const later = await gateway.post('/v1/tasks', { flow: 'test-flow' }, ann);
    expect(later.statusCode).toBe(201);
  });
});
