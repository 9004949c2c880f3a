import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EVERYBODY, type Limits, type Principal } from '#access';
import { createHttpApp, type HttpApp } from '#http-server';
import { faultId, type FaultPlace, type FaultSwitch } from '#ports';
import { chain, MemoryStore } from '#testing';
import { OSS_OPTIONS } from '../options.js';
import { FAULT_SWITCHES, FaultsController } from './faults.controller.js';

const UNLIMITED: Limits = { flows: null, labels: null, modules: null };

let app: HttpApp;
let caller: Principal;
beforeEach(async () => {
  const store = new MemoryStore();
  for (const name of ['mine', 'other']) {
    await store.saveFlow({ ...chain(['a']), name }, name, 1_000);
  }
  const on = new Map<string, FaultSwitch>();
  const switches = {
    list: async () => [...on.values()],
    put: async (one: FaultSwitch) => on.set(faultId(one), one).size < 3,
    remove: async (place: FaultPlace) => on.delete(faultId(place)),
  };
  const providers = [
    { provide: FAULT_SWITCHES, useValue: switches },
    { provide: OSS_OPTIONS, useValue: { flowStore: store, flows: { problems: () => [] } } },
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

type Method = 'DELETE' | 'GET' | 'PUT';

function ask(limits: Partial<Limits>, method: Method, path = '') {
  const payload = method === 'PUT' ? { kind: 'fail_once' } : undefined;
  return send(limits, { method, url: `/modules/lab/faults${path}`, payload });
}

async function send(
  limits: Partial<Limits>,
  { payload, ...request }: { method: Method; url: string; payload: object | undefined },
) {
  caller = { ...EVERYBODY, ...UNLIMITED, ...limits, role: 'operator', keyId: 'k' };
  const headers = { authorization: 'Bearer k' };
  const answer = await app.app.inject({ ...request, headers, ...(payload && { payload }) });
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

it('a body that does not fit is refused, and says where', async () => {
  const url = '/modules/lab/faults/mine/a';
  const put = (payload: object) => send({}, { method: 'PUT', url, payload });
  const delay = '`delay` goes with `slow` alone: a duration from 1ms to 1h.';
  const kind = '`kind` must be one of fail_once, fail_always, slow, crash.';
  for (const [body, pointer, message] of [
    [{ kind: 'slow', delay: '2h' }, '/delay', delay],
    [{ kind: 'slow', delay: 0 }, '/delay', delay],
    [{ kind: 'slow', delay: 'soon' }, '/delay', delay],
    [{ kind: 'crash', delay: '1s' }, '/delay', delay],
    [{ kind: 'sometimes' }, '/kind', kind],
    [{ kind: 'crash', much: 1 }, '/much', '`much` is not known here.'],
    [[], '', 'The body must be a JSON object.'],
  ] as const) {
    const answer = await put(body);
    const errors = [expect.objectContaining({ pointer, message })];
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ errors })]);
  }
  expect((await put({ kind: 'slow' })).body).toMatchObject({ delay: '5s' });
});
