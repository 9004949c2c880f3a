import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { makeKey } from '#access';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([]);
});
afterAll(() => gateway.close());

function put(command: string, body: unknown): Promise<LightMyRequestResponse> {
  return gateway.ask({ method: 'PUT', url: `/v1/commands/m/${command}`, body });
}

async function putFlow(): Promise<unknown> {
  const body = [{ normal: { module: 'm', command: 'a' } }];
  const answer = await gateway.ask({ method: 'PUT', url: '/v1/flows/heir', body });
  const { steps, version } = answer.json() as { version: number; steps: readonly object[] };
  return { version, step: steps[0] };
}

describe('what flows inherit of a command', () => {
  it('is stored, shown and removed, and frozen in the versions of flows', async () => {
    expect(await putFlow()).toMatchObject({ version: 1, step: { normal: { timeout: 300 } } });
    const defaults = { timeout: '2m', retry: 1, rollback: { module: 'm', command: 'undo' } };
    const stored = await put('a', { description: 'makes', ...defaults });
    expect(stored.statusCode).toBe(200);
    const shown = { module: 'm', command: 'a', description: 'makes', ...defaults };
    expect(stored.json()).toEqual({ ...shown, timeUpdate: expect.any(Number) });
    const url = '/v1/commands/m/a';
    expect((await gateway.ask({ url })).json()).toEqual(stored.json());
    expect((await gateway.ask({ url: '/v1/commands' })).json()).toMatchObject({
      items: [stored.json()],
    });

    const old = (await gateway.ask({ url: '/v1/flows/heir' })).json() as object;
    expect(old).toMatchObject({ version: 1, steps: [{ normal: { timeout: 300 } }] });
    expect(await putFlow()).toMatchObject({
      version: 2,
      step: { normal: { timeout: 120, retry: 1 }, rollback: { command: 'undo' } },
    });

    expect((await gateway.ask({ method: 'DELETE', url })).statusCode).toBe(204);
    for (const method of ['DELETE', 'GET']) {
      const gone = await gateway.ask({ method, url });
      expect([gone.statusCode, gone.json().code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await putFlow()).toMatchObject({ version: 3, step: { normal: { timeout: 300 } } });
  });

  it('is refused with every fault and its pointer', async () => {
    const answer = await put('b', { timeout: 'soon', rollback: { module: 'm' } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'INVALID_FLOW',
      errors: [{ pointer: '/timeout', hint: expect.any(String) }, { pointer: '/rollback' }],
    });
    for (const body of ['[]', '3', '{"timout":3}']) {
      expect((await put('b', body)).statusCode).toBe(400);
    }
    expect((await put('a%20b', {})).statusCode).toBe(400);
    expect((await gateway.ask({ url: '/v1/commands/m/b' })).statusCode).toBe(404);
  });

  it('is for authors of all flows, of the modules that they may use', async () => {
    const guarded = await Gateway.open([], { asksForKeys: true });
    let count = 0;
    const ask = async (limits: object, { method = 'PUT', module = 'm', body = {} } = {}) => {
      count += 1;
      const id = String(count).padStart(16, '0');
      const secret = { id, secret: 's'.repeat(43) };
      const order = { name: 'k', role: 'author', ...limits } as const;
      const { record, text } = makeKey(order, secret, guarded.world.clock.now());
      await guarded.world.store.keys.put(record, null);
      const url = `/v1/commands/${module}/c`;
      const headers = { authorization: `Bearer ${text}` };
      const sent = method === 'PUT' ? { body } : {};
      return (await guarded.ask({ method, url, headers, ...sent })).statusCode;
    };
    expect(await ask({})).toBe(200);
    expect(await ask({ modules: 'm' })).toBe(200);
    expect(await ask({ modules: 'n' })).toBe(403);
    expect(await ask({ flows: 'mine-*' })).toBe(403);
    const undo = { rollback: { module: 'n', command: 'u' } };
    expect(await ask({ modules: 'm' }, { body: undo })).toBe(403);
    expect(await ask({ modules: 'n' }, { method: 'GET' })).toBe(404);
    expect(await ask({ modules: 'n' }, { method: 'DELETE' })).toBe(403);
    expect(await ask({ role: 'viewer' }, { method: 'GET' })).toBe(200);
    await guarded.close();
  });
});
