import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { action, flow } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

function using(name: string, module: string, command = 'a') {
  const normal = { ...action('m.a'), module, command };
  return flow([{ name: 'a', needs: [], normal, rollback: null }], { name });
}

let gateway: Gateway;
beforeEach(async () => {
  const flows = [
    using('late', 'gpu'),
    using('early', 'gpu'),
    using('served', 'm'),
    using('newer', 'm', 'z'),
  ];
  gateway = await Gateway.open(flows, { asksForKeys: true });
});
afterEach(() => gateway.close());

async function unservedFor(order: Omit<KeyOrder, 'name'>, member = 'unserved'): Promise<unknown> {
  const secret = { id: '0'.repeat(16), secret: 's'.repeat(43) };
  const made = makeKey({ ...order, name: 'viewer-1' }, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(made.record, null);
  const headers = { authorization: `Bearer ${made.text}` };
  const answer = await gateway.ask({ url: '/v1/executors', headers });
  expect(misfits('Executors', answer.json())).toEqual([]);
  return answer.json<Record<string, unknown>>()[member];
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

it('names a command that no executor of its module has, and the flows', async () => {
  const newer = { module: 'm', command: 'z', flows: ['newer'] };
  expect(await unservedFor({ role: 'viewer' }, 'unservedCommands')).toEqual([newer]);
});

it.each([{ flows: 'served' }, { modules: 'gpu' }])(
  'tells a caller who does not see its flow or module of no command: %j',
  async (limits) => {
    expect(await unservedFor({ role: 'viewer', ...limits }, 'unservedCommands')).toEqual([]);
  },
);
