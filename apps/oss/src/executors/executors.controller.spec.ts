import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { action, flow } from '#testing';
import { Gateway } from '../gateway-spec.js';

function using(name: string, module: string) {
  const normal = { ...action('m.a'), module };
  return flow([{ name: 'a', needs: [], normal, rollback: null }], { name });
}

let gateway: Gateway;
beforeEach(async () => {
  const flows = [using('late', 'gpu'), using('early', 'gpu'), using('served', 'm')];
  gateway = await Gateway.open(flows, { asksForKeys: true });
});
afterEach(() => gateway.close());

async function unservedFor(order: Omit<KeyOrder, 'name'>): Promise<unknown> {
  const secret = { id: '0'.repeat(16), secret: 's'.repeat(43) };
  const made = makeKey({ ...order, name: 'viewer-1' }, secret, gateway.world.clock.now());
  await gateway.world.store.keys.addKey(made.record);
  const headers = { authorization: `Bearer ${made.text}` };
  const answer = await gateway.ask({ url: '/v1/executors', headers });
  return answer.json<{ unserved: unknown }>().unserved;
}

it('names a module that flows use and nobody serves, and the flows', async () => {
  const gpu = { module: 'gpu', flows: ['early', 'late'] };
  expect(await unservedFor({ role: 'viewer' })).toEqual([gpu]);
});

it.each([
  ['gpu', ['early', 'late']],
  ['m', null],
])('tells a caller with limits to the module %s of no other', async (modules, flows) => {
  const expected = flows === null ? [] : [{ module: 'gpu', flows }];
  expect(await unservedFor({ role: 'viewer', modules })).toEqual(expected);
});

it('tells a caller who sees no modules of none', async () => {
  expect(await unservedFor({ role: 'viewer', flows: 'late' })).toEqual([]);
});
