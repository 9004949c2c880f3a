import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chain } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([chain(['a']), { ...chain(['a']), name: 'other' }]);
});
afterAll(() => gateway.close());

const { name } = chain(['a']);

async function record(version: string | number, body: unknown, flow = name) {
  const url = `/v1/flows/${flow}/versions/${version}/drill`;
  const answer = await gateway.ask({ method: 'PUT', url, body });
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
}

async function drillOf(path: string): Promise<unknown> {
  const flow = (await gateway.ask({ url: `/v1/flows/${path}` })).json<{ drill: unknown }>();
  expect(misfits('Flow', flow)).toEqual([]);
  return flow.drill;
}

describe('the drill of a flow', () => {
  it('is shown with the version that was drilled, and with later ones', async () => {
    expect(await drillOf(name)).toBeNull();
    const { body, status } = await record(1, { failures: 0, total: 33 });
    const at = Math.floor(gateway.world.clock.now() / 1_000);
    expect({ status, body }).toEqual({
      status: 200,
      body: { version: 1, at, passed: true, failures: 0, total: 33 },
    });
    expect(misfits('Drill', body)).toEqual([]);
    await gateway.world.store.saveFlow(chain(['a', 'b']), 'second', 2_000);
    for (const path of [name, `${name}/versions/1`, `${name}/versions/2`]) {
      expect(await drillOf(path)).toEqual(body);
    }
    await record(2, { failures: 3, total: 33 });
    expect(await drillOf(name)).toMatchObject({ version: 2, passed: false, failures: 3 });
    expect(await drillOf(`${name}/versions/1`)).toEqual(body);
    const list = (await gateway.ask({ url: '/v1/flows' })).json<{ items: { name: string }[] }>();
    expect(misfits('Flows', list)).toEqual([]);
    expect(list.items).toMatchObject([
      { name: 'other', drill: null },
      { name, drill: { version: 2, passed: false } },
    ]);
  });

  it('is refused of what is not there, and where it tells nothing', async () => {
    const sound = { failures: 0, total: 1 };
    expect(await record(9, sound)).toMatchObject({ status: 404, body: { code: 'FLOW_NOT_FOUND' } });
    expect((await record(1, sound, 'nobody')).status).toBe(404);
    expect(await record(1, { failures: 2, total: 1 })).toMatchObject({
      status: 422,
      body: { code: 'INVALID_PARAMETERS', errors: [{ pointer: '/failures' }] },
    });
    for (const [body, pointer] of [
      [{ failures: 0, total: 0 }, '/total'],
      [{ failures: 0.5, total: 1 }, '/failures'],
      [{ total: 1 }, '/failures'],
      [{ ...sound, at: 7 }, '/at'],
    ] as const) {
      expect(await record(1, body)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_REQUEST', errors: [{ pointer }] },
      });
    }
  });
});
