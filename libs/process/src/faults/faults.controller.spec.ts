import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EVERYBODY, type Limits, type Principal } from '#access';
import { createHttpApp, type HttpApp } from '#http-server';
import { chain, ManualClock, MemoryStore } from '#testing';
import { FaultSwitches, MemoryFaults } from './fault-switches.js';
import { FAULT_FLOWS, FAULT_SWITCHES, FaultsController } from './faults.controller.js';

const UNLIMITED: Limits = { flows: null, labels: null, modules: null };

let app: HttpApp;
let caller: Principal;
beforeEach(async () => {
  const store = new MemoryStore();
  for (const name of ['mine', 'other']) {
    await store.saveFlow({ ...chain(['a']), name }, name, 1_000);
  }
  const faults = new MemoryFaults();
  const loseAttempt = async (): Promise<void> => undefined;
  const switches = new FaultSwitches({ clock: new ManualClock(), store: faults, loseAttempt });
  const providers = [
    { provide: FAULT_SWITCHES, useValue: switches },
    { provide: FAULT_FLOWS, useValue: store },
  ];
  app = await createHttpApp(
    { module: class Faults {}, controllers: [FaultsController], providers },
    {
      bodyLimit: 1_000,
      access: { find: () => caller },
      idPrefix: 'test',
      onFault: () => undefined,
    },
  );
  await app.app.init();
  await app.app.getHttpAdapter().getInstance().ready();
});
afterEach(() => app.app.close());

async function ask(limits: Partial<Limits>, method: 'DELETE' | 'GET' | 'PUT', path = '') {
  caller = { ...EVERYBODY, ...UNLIMITED, ...limits, role: 'operator', keyId: 'k' };
  const payload = method === 'PUT' ? { kind: 'fail_once' } : undefined;
  const headers = { authorization: 'Bearer k' };
  const url = `/modules/lab/faults${path}`;
  const answer = await app.app.inject({ method, url, headers, ...(payload && { payload }) });
  const body = answer.body === '' ? {} : (answer.json() as Record<string, unknown>);
  return { status: answer.statusCode, body };
}

it('a switch is of the flows that an operator sees: others do not exist', async () => {
  await ask({}, 'PUT', '/mine/a');
  await ask({}, 'PUT', '/other/a');
  const limits = { flows: ['mine'], modules: ['lab'] };
  expect(await ask(limits, 'PUT', '/other/a')).toMatchObject({
    status: 404,
    body: { code: 'FLOW_NOT_FOUND' },
  });
  expect((await ask(limits, 'DELETE', '/other/a')).status).toBe(404);
  expect((await ask(limits, 'GET')).body).toMatchObject({ items: [{ flow: 'mine' }] });
  expect((await ask({}, 'GET')).body['items']).toHaveLength(2);
  expect((await ask(limits, 'PUT', '/mine/a')).status).toBe(200);
  expect((await ask(limits, 'DELETE', '/mine/a')).status).toBe(204);
});

it('an operator who is limited to labels changes none: a switch is for tasks of all labels', async () => {
  await ask({}, 'PUT', '/mine/a');
  const limits = { labels: { team: 'x' }, modules: ['lab'] };
  for (const method of ['PUT', 'DELETE'] as const) {
    const answer = await ask(limits, method, '/mine/a');
    expect([answer.status, answer.body['code']]).toEqual([403, 'FORBIDDEN']);
  }
  expect((await ask({}, 'GET')).body['items']).toHaveLength(1);
});
