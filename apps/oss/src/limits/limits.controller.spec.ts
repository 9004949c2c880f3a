import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a'])]);
});
afterEach(() => gateway.close());

type Limits = Readonly<Record<string, unknown>>;

function put(body: Limits, headers: Record<string, string> = {}) {
  return gateway.ask({ method: 'PUT', url: '/v1/limits/m', body, headers });
}

async function listed(): Promise<readonly Limits[]> {
  return (await gateway.ask({ url: '/v1/limits' })).json().items;
}

describe('The limits of a module', () => {
  it('are stored, listed and removed', async () => {
    const limits = { maxConcurrency: 20, ratePerSecond: 0.5, fairBy: 'tenant' };
    const stored = await put(limits);
    expect(stored.statusCode).toBe(200);
    expect(stored.json()).toMatchObject({ module: 'm', ...limits, running: 0, generation: 1 });
    const other = { maxConcurrency: null, ratePerSecond: 7, fairBy: null, running: null };
    expect((await put({ ratePerSecond: 7 })).json()).toMatchObject({ ...other, generation: 2 });
    expect(await listed()).toMatchObject([{ module: 'm', ...other }]);
    const remove = { method: 'DELETE', url: '/v1/limits/m' } as const;
    expect((await gateway.ask(remove)).statusCode).toBe(204);
    expect((await gateway.ask(remove)).json()).toMatchObject({ code: 'NOT_FOUND' });
    expect(await listed()).toEqual([]);
  });

  it('keep their generation where the same is set again', async () => {
    await put({ maxConcurrency: 5 });
    expect((await put({ maxConcurrency: 5 })).headers['etag']).toBe('"1"');
    expect((await put({ maxConcurrency: 6 })).headers['etag']).toBe('"2"');
  });

  it('are changed and removed only at the generation that was read', async () => {
    expect((await put({ maxConcurrency: 5 }, { 'if-match': '"1"' })).statusCode).toBe(412);
    await put({ maxConcurrency: 5 }, { 'if-none-match': '*' });
    const stale = { 'if-match': '"7"' };
    const refused = await put({ maxConcurrency: 6 }, stale);
    expect(refused.statusCode).toBe(412);
    expect(refused.json()).toMatchObject({
      code: 'REVISION_CHANGED',
      detail: 'Module limit m is at generation 1.',
    });
    const again = await put({ maxConcurrency: 6 }, { 'if-none-match': '*' });
    expect(again.json()).toMatchObject({ detail: 'There is a module limit m already.' });
    const remove = { method: 'DELETE', url: '/v1/limits/m' } as const;
    expect((await gateway.ask({ ...remove, headers: stale })).statusCode).toBe(412);
    expect(await listed()).toMatchObject([{ maxConcurrency: 5 }]);
    const known = { 'if-match': '"1"' };
    expect((await gateway.ask({ ...remove, headers: known })).statusCode).toBe(204);
  });

  it('are refused for a module that cannot have such a name', async () => {
    const url = '/v1/limits/a%20b';
    const answer = await gateway.ask({ method: 'PUT', url, body: { maxConcurrency: 5 } });
    expect(answer.json()).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/module' }],
    });
  });

  it.each([
    [{}, '/maxConcurrency'],
    [{ fairBy: 'tenant' }, '/maxConcurrency'],
    [{ maxConcurrency: 0 }, '/maxConcurrency'],
    [{ maxConcurrency: 1.5 }, '/maxConcurrency'],
    [{ maxConcurrency: 1_001 }, '/maxConcurrency'],
    [{ ratePerSecond: 0 }, '/ratePerSecond'],
    [{ ratePerSecond: '5' }, '/ratePerSecond'],
    [{ maxConcurrency: 1, fairBy: 7 }, '/fairBy'],
    [{ maxConcurrency: 1, burst: 7 }, '/burst'],
  ])('are refused with the member that is wrong: %j', async (payload, pointer) => {
    const answer = await put(payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
    expect(await listed()).toEqual([]);
  });

  it('are named by `why` where they have a step wait', async () => {
    await put({ maxConcurrency: 1 });
    await gateway.world.clock.advance(3_000);
    gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
    await gateway.create({ flow: 'test-flow' });
    await rest();
    const id = await gateway.create({ flow: 'test-flow' });
    await rest();
    const { causes } = (await gateway.ask({ url: `/v1/tasks/${id}/why` })).json();
    expect(causes).toMatchObject([
      {
        code: 'MODULE_AT_LIMIT',
        message: expect.stringContaining('m is at its limit, 1 of 1 actions run'),
        evidence: { running: 1, maxConcurrency: 1 },
        next: [{ action: 'wait' }],
      },
    ]);
    expect(await listed()).toMatchObject([{ module: 'm', running: 1, waiting: 1 }]);
  });
});

async function rest(): Promise<void> {
  for (let n = 0; n < 40; n += 1) await settle();
}
