import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type ChangedRecord, hasRightsOf, whyNotChange } from '#access';
import { action, flow } from '#testing';
import { type KeyRecord, type Role, ROLES } from '#ports';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { GuardedGateway, type KeyLimits } from './guarded-gateway-spec.js';

const step = (module: string) => {
  return { name: 'a', needs: [], normal: action(`${module}.a`), rollback: null };
};
const CHANNEL = { type: 'webhook', url: 'http://127.0.0.1:1/' };
const TEXT = [{ normal: { module: 'm', command: 'a' }, rollback: null }];

let desk: GuardedGateway;
let admin: Record<string, string>;
beforeAll(async () => {
  desk = await GuardedGateway.open([flow([step('m')], { name: 'in-file' })]);
  admin = await desk.key('admin');
  const { store } = desk.gateway.world;
  for (const [name, module] of [
    ['mine', 'm'],
    ['pay', 'n'],
  ] as const) {
    const definition = flow([step(module)], { name });
    await store.definitions.putFlow({ definition, hash: name, now: 1_000 });
  }
  await desk.gateway.options.flows.refresh();
  await desk.as(admin).send('PUT', '/v1/schedules/nightly', { flow: 'pay', every: '1h' });
  const rule = { on: ['failed'], channel: CHANNEL };
  await desk.as(admin).send('PUT', '/v1/notifications/all', rule);
});
afterAll(() => desk.gateway.close());

/** Every way to change what tasks of everybody do, or are told of. */
const CHANGES = [
  ['PUT', '/v1/flows/mine', { steps: TEXT }],
  ['PUT', '/v1/flows/brand-new', { steps: TEXT }],
  ['DELETE', '/v1/flows/mine', undefined],
  ['PUT', '/v1/flows/mine/versions/1/drill', { failures: 0, total: 1 }],
  ['PUT', '/v1/commands/m/a', { retry: 3 }],
  ['DELETE', '/v1/commands/m/a', undefined],
] as const;

describe('an author who is limited to labels', () => {
  it.each(CHANGES)('may not %s %s', async (method, url, body) => {
    const key = await desk.key('author', { labels: { team: 'pay' } });
    const answer = await desk.as(key).send(method, url, body);
    expect([answer.status, answer.body['code']]).toEqual([403, 'FORBIDDEN']);
    expect(answer.body['detail']).toContain('is limited to some labels');
  });

  it('stores flows that his key names', async () => {
    const key = await desk.key('author', { labels: { team: 'pay' }, flows: 'own-*' });
    const { status } = await desk.as(key).send('PUT', '/v1/flows/own-1', { steps: TEXT });
    expect(status).toBe(201);
  });

  it('stores schedules, of which each task has the labels', async () => {
    const key = await desk.key('author', { labels: { team: 'pay' } });
    const order = { flow: 'mine', every: '1h' };
    const { body } = await desk.as(key).send('PUT', '/v1/schedules/own', order);
    expect(body['labels']).toEqual({ team: 'pay' });
  });
});

describe('an author who is limited to modules', () => {
  it.each([
    ['PUT', '/v1/flows/pay', { steps: TEXT }],
    ['DELETE', '/v1/flows/pay', undefined],
    ['PUT', '/v1/flows/pay/versions/1/drill', { failures: 0, total: 1 }],
    ['PUT', '/v1/schedules/nightly', { flow: 'mine', every: '2h' }],
    ['POST', '/v1/schedules/nightly:pause', { reason: 'r' }],
    ['POST', '/v1/schedules/nightly:resume', { reason: 'r' }],
    ['DELETE', '/v1/schedules/nightly', undefined],
  ] as const)('may not %s %s, whose flow uses another one', async (method, url, body) => {
    const key = await desk.key('author', { modules: 'm' });
    const answer = await desk.as(key).send(method, url, body);
    expect([answer.status, answer.body['code']]).toEqual([403, 'FORBIDDEN']);
    expect(answer.body['detail']).toContain('may not use the module n');
  });

  it('may not store a flow that starts another version, which uses another one', async () => {
    const { store } = desk.gateway.world;
    for (const module of ['n', 'm']) {
      const definition = flow([step(module)], { name: 'turned' });
      await store.definitions.putFlow({ definition, hash: module, now: 1_000 });
    }
    await desk.gateway.options.flows.refresh();
    const key = await desk.key('author', { modules: 'm' });
    const starting = (version: number) => ({
      steps: [{ name: 'c', flow: { name: 'turned', version } }],
    });
    const old = await desk.as(key).send('PUT', '/v1/flows/starts', starting(1));
    expect(old).toMatchObject({
      status: 403,
      body: { errors: [{ pointer: '/steps/0/flow/name' }] },
    });
    expect((await desk.as(key).send('PUT', '/v1/flows/starts', starting(2))).status).toBe(201);
  });
});

describe('somebody with limits', () => {
  it.each(['PUT', 'DELETE'])('may not %s a notification of everybody', async (method) => {
    const key = await desk.key('author', { labels: { team: 'pay' } });
    const body = method === 'PUT' ? { on: ['failed'], channel: CHANNEL } : undefined;
    const { status } = await desk.as(key).send(method, '/v1/notifications/all', body);
    expect(status).toBe(method === 'PUT' ? 403 : 404);
    for (const verb of ['test', 'redeliver']) {
      const asked = verb === 'test' ? undefined : { deliveryId: 'x' };
      const tried = await desk.as(key).send('POST', `/v1/notifications/all:${verb}`, asked);
      expect(tried.status).toBe(404);
    }
  });
});

const names = fc.constantFrom('a-1', 'a-2', 'b-1');
const patterns = fc.uniqueArray(fc.constantFrom('a-*', 'b-1', '*', 'a-1'), { minLength: 1 });
const limits: fc.Arbitrary<Pick<KeyRecord, 'flows' | 'labels' | 'modules'>> = fc.record({
  flows: fc.option(patterns),
  modules: fc.option(patterns),
  labels: fc.option(fc.record({ team: fc.constantFrom('x', 'y') })),
});
const modules = fc.uniqueArray(names, { maxLength: 2 });
const records: fc.Arbitrary<ChangedRecord> = fc.oneof(
  fc.record({ kind: fc.constant('flow' as const), flow: names, modules }),
  fc.record({ kind: fc.constant('fault' as const), flow: names }),
  fc.record({ kind: fc.constant('command' as const), modules }),
  fc.record({
    kind: fc.constant('schedule' as const),
    flow: names,
    labels: fc.record({ team: fc.constantFrom('x', 'y') }),
    modules,
  }),
);

it('nobody with more limits may change what fewer limits do not let him', () => {
  fc.assert(
    fc.property(limits, limits, records, (one, other, record) => {
      const narrow = {
        flows: one.flows ?? other.flows,
        modules: one.modules ?? other.modules,
        labels: one.labels ?? other.labels,
      };
      const wide = {
        flows: one.flows === null ? null : narrow.flows,
        modules: one.modules === null ? null : narrow.modules,
        labels: one.labels === null ? null : narrow.labels,
      };
      // Flows that a key names are its own, so naming them gives what labels alone take away.
      const isNamed = wide.flows === null && narrow.flows !== null && wide.labels !== null;
      fc.pre(!isNamed);
      if (whyNotChange(wide, record) !== null) {
        expect(whyNotChange(narrow, record)).not.toBeNull();
      }
    }),
    fuzzBudget(2_000),
  );
});

it(
  'nobody makes a key with more rights than he has',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ role: fc.constantFrom(...ROLES), own: limits }),
        fc.record({ wanted: fc.constantFrom(...ROLES), asked: limits }),
        async ({ own, role }, { asked, wanted }) => {
          const given = (all: typeof own): KeyLimits =>
            Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
          const maker = await desk.key(role, given(own));
          const order = { name: 'made', role: wanted, ...given(asked) };
          const { status } = await desk.as(maker).send('POST', '/v1/keys', order);
          if (status !== 201) return expect(status).toBe(403);
          expect(hasRightsOf(role, wanted) || isWorker(role, wanted)).toBe(true);
          for (const limit of ['flows', 'modules', 'labels'] as const) {
            if (own[limit] !== null) expect(asked[limit]).toEqual(own[limit]);
          }
        },
      ),
      fuzzBudget(120),
    );
  },
  FUZZ_TIMEOUT_MS,
);

/** An admin may give a role that is beside the others. */
function isWorker(role: Role, wanted: Role): boolean {
  return role === 'admin' && wanted === 'worker';
}

it.each([
  [{ flows: [] }, '/flows'],
  [{ flows: '' }, '/flows'],
  [{ labels: {} }, '/labels'],
  [{ modules: [] }, '/modules'],
  [{ modules: '' }, '/modules'],
])('a key whose limits are empty is refused: %j', async (empty, pointer) => {
  const order = { name: 'made', role: 'viewer', ...empty };
  const { body, status } = await desk.as(admin).send('POST', '/v1/keys', order);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
});
