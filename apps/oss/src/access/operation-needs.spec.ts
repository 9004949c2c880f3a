import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { makeKey, type KeyOrder, needOf, OPERATION_NEEDS, ROLES } from '#access';
import { chain } from '#testing';
import { openApiDocument } from '../docs/openapi.js';
import { OPERATIONS } from '../docs/openapi-operations.js';
import { Gateway } from '../gateway-spec.js';

/** The roles that may, of every operation. A test below finds a row too few or too many. */
const TABLE: Readonly<Record<string, string>> = {
  'GET /livez': 'everybody',
  'GET /readyz': 'everybody',
  'GET /metrics': 'viewer starter operator author admin',
  'GET /openapi.json': 'viewer starter operator author worker admin',
  'GET /docs': 'viewer starter operator author worker admin',
  'GET /docs/errors': 'viewer starter operator author worker admin',
  'GET /': 'everybody',
  'POST /v1/tasks': 'starter operator author admin',
  'POST /v1/tasks:batch': 'starter operator author admin',
  'GET /v1/tasks': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/events': 'viewer starter operator author admin',
  'POST /v1/tasks/{taskId}:rollback': 'operator author admin',
  'POST /v1/tasks/{taskId}:terminate': 'operator author admin',
  'POST /v1/tasks/{taskId}:retry': 'operator author admin',
  'POST /v1/tasks/{taskId}:skip': 'operator author admin',
  'POST /v1/tasks/{taskId}:pause': 'operator author admin',
  'POST /v1/tasks/{taskId}:resume': 'operator author admin',
  'POST /v1/tasks/{taskId}:reset': 'operator author admin',
  'POST /v1/tasks/{taskId}:undo': 'operator author admin',
  'POST /v1/tasks/{taskId}:signal': 'operator author admin',
  'POST /v1/tasks/{taskId}:approve': 'operator author admin',
  'POST /v1/tasks/{taskId}:reject': 'operator author admin',
  'POST /v1/tasks/{taskId}:restart': 'starter operator author admin',
  'POST /v1/tasks/{taskId}/steps/{run}:complete': 'operator author worker admin',
  'GET /v1/tasks/{taskId}/rollback-plan': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/provenance': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/why': 'viewer starter operator author admin',
  'GET /v1/tasks:count': 'viewer starter operator author admin',
  'GET /v1/events': 'viewer starter operator author admin',
  'GET /v1/executors': 'viewer starter operator author admin',
  'GET /v1/locks': 'viewer starter operator author admin',
  'POST /v1/operations': 'operator author admin',
  'GET /v1/operations': 'viewer starter operator author admin',
  'GET /v1/operations/{operationId}': 'viewer starter operator author admin',
  'POST /v1/operations/{operationId}:cancel': 'operator author admin',
  'POST /v1/operations/{operationId}:approve': 'operator author admin',
  'POST /v1/operations/{operationId}:reject': 'operator author admin',
  'GET /v1/flows': 'viewer starter operator author admin',
  'GET /v1/flows/{name}': 'viewer starter operator author admin',
  'GET /v1/flows/{name}/versions/{version}': 'viewer starter operator author admin',
  'PUT /v1/flows/{name}': 'author admin',
  'DELETE /v1/flows/{name}': 'author admin',
  'GET /v1/flows/{name}/versions': 'viewer starter operator author admin',
  'GET /v1/flows/{name}/versions/{version}:diff': 'viewer starter operator author admin',
  'POST /v1/flows/{name}:plan': 'viewer starter operator author admin',
  'POST /v1/flows:plan': 'author admin',
  'POST /v1/flows:validate': 'viewer starter operator author admin',
  'GET /v1/schedules': 'viewer starter operator author admin',
  'GET /v1/schedules/{name}': 'viewer starter operator author admin',
  'GET /v1/schedules/{name}/why': 'viewer starter operator author admin',
  'PUT /v1/schedules/{name}': 'author admin',
  'DELETE /v1/schedules/{name}': 'author admin',
  'POST /v1/schedules/{name}:pause': 'author admin',
  'POST /v1/schedules/{name}:resume': 'author admin',
  'POST /v1/schedules/{name}:trigger': 'starter operator author admin',
  'GET /v1/notifications': 'viewer starter operator author admin',
  'GET /v1/notifications/{name}': 'viewer starter operator author admin',
  'PUT /v1/notifications/{name}': 'author admin',
  'DELETE /v1/notifications/{name}': 'author admin',
  'POST /v1/notifications/{name}:test': 'author admin',
  'GET /v1/notifications/{name}/deliveries': 'viewer starter operator author admin',
  'POST /v1/notifications/{name}:redeliver': 'author admin',
  'GET /v1/commands': 'viewer starter operator author admin',
  'GET /v1/commands/{module}/{command}': 'viewer starter operator author admin',
  'PUT /v1/commands/{module}/{command}': 'author admin',
  'DELETE /v1/commands/{module}/{command}': 'author admin',
  'POST /v1/keys': 'admin',
  'GET /v1/keys': 'admin',
  'GET /v1/keys/{id}': 'admin',
  'DELETE /v1/keys/{id}': 'admin',
  'POST /v1/session': 'viewer starter operator author worker admin',
  'GET /v1/session': 'viewer starter operator author worker admin',
  'DELETE /v1/session': 'viewer starter operator author worker admin',
  'GET /v1/audit': 'admin',
  'GET /v1/archive': 'admin',
  'POST /v1/archive': 'admin',
};

const ROUTES = OPERATIONS.map(({ route }) => route);

/** Those that answer with server-sent events where these are asked for. */
const STREAMS = ['GET /v1/events', 'GET /v1/tasks/{taskId}/events'];

let gateway: Gateway;
let taskId: string;
const keys = new Map<string, string>();

/** Keys that do not see the task: limited to another flow, or to another label. */
const STRANGERS: readonly KeyOrder[] = [
  { name: 'elsewhere', role: 'operator', flows: 'other-*' },
  { name: 'unlabelled', role: 'operator', labels: { team: 'other' } },
  { name: 'onlooker', role: 'viewer', flows: 'other-*' },
];

beforeAll(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  const orders = [...ROLES.map((role): KeyOrder => ({ name: role, role })), ...STRANGERS];
  for (const [n, order] of orders.entries()) {
    const secret = { id: `${n}`.padStart(16, '0'), secret: 's'.repeat(43) };
    const { record, text } = makeKey(order, secret, gateway.world.clock.now());
    await gateway.world.store.keys.addKey(record);
    keys.set(order.name, text);
  }
  taskId = await gateway.create({ flow: 'test-flow', labels: { team: 'a' } }, as('admin'));
});
afterAll(() => gateway.close());

function as(name: string): Record<string, string> {
  return { authorization: `Bearer ${keys.get(name)}` };
}

function ask(route: string, headers: Record<string, string>): Promise<LightMyRequestResponse> {
  const [method = '', path = ''] = route.split(' ');
  const url = path
    .replace('{taskId}', taskId)
    .replace('{run}', 'a')
    .replace('{name}', 'test-flow')
    .replace('{version}', '1')
    .replace('{module}', 'm')
    .replace('{command}', 'none')
    .replace('{id}', 'none')
    .replace('{operationId}', 'none');
  // No body is right: whoever may do it is told so, and nothing happens.
  const body = method === 'POST' ? { wrong: true } : undefined;
  return gateway.ask({ method, url, headers, ...(body && { body }) });
}

describe('who may do what', () => {
  it('is said of every operation, in the code and here', () => {
    expect(Object.keys(OPERATION_NEEDS).sort()).toEqual([...ROUTES].sort());
    expect(Object.keys(TABLE).sort()).toEqual([...ROUTES].sort());
  });

  it.each(ROUTES)('%s', async (route) => {
    for (const role of ROLES) {
      const { body, statusCode } = await ask(route, as(role));
      const may = TABLE[route] === 'everybody' || TABLE[route]?.split(' ').includes(role) === true;
      expect([role, statusCode === 403]).toEqual([role, !may]);
      if (!may) expect(body).toMatch(/this needs (viewer|starter|operator|author|admin)/);
      expect([role, statusCode === 401]).toEqual([role, false]);
    }
    const { statusCode } = await ask(route, {});
    expect(statusCode === 401).toBe(TABLE[route] !== 'everybody');
  });

  it.each(STREAMS)('%s, followed live', async (route) => {
    const followed = { accept: 'text/event-stream' };
    for (const role of ROLES) {
      if (TABLE[route]?.split(' ').includes(role) === true) continue;
      const { statusCode } = await ask(route, { ...as(role), ...followed });
      expect([role, statusCode]).toEqual([role, 403]);
    }
    expect((await ask(route, followed)).statusCode).toBe(401);
    if (!route.includes('{taskId}')) return;
    for (const { name } of STRANGERS) {
      const { statusCode } = await ask(route, { ...as(name), ...followed });
      expect([name, statusCode]).toEqual([name, 404]);
    }
  });

  it.each(ROUTES.filter((route) => route.includes('{taskId}')))(
    '%s of a task that one does not see: there is none',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');
      for (const { name } of STRANGERS) {
        const answer = await ask(route, as(name));
        expect([name, answer.statusCode]).toEqual([name, 404]);
        const other = { method, url: path.replace('{taskId}', 'nothing'), headers: as(name) };
        const absent = await gateway.ask({ ...other, ...(method === 'POST' && { body: {} }) });
        expect(answer.json().code).toBe(absent.json().code);
      }
    },
  );

  it('is in the OpenAPI document', () => {
    const { paths } = openApiDocument() as { paths: Record<string, Record<string, Described>> };
    for (const route of ROUTES) {
      const [method = '', path = ''] = route.split(' ');
      const { responses, security } = paths[path]![method.toLowerCase()]!;
      const isOpen = TABLE[route] === 'everybody';
      expect([route, security]).toEqual([route, isOpen ? [] : undefined]);
      expect([route, '401' in responses]).toEqual([route, !isOpen]);
    }
  });
});

it('opens the pages of the console to everybody: they hold no data', () => {
  for (const page of ['', '/', '/tasks', '/tasks/t', '/keys', '/audit', '/assets/main.js']) {
    expect(needOf('GET', `/console${page}`)).toEqual({ role: 'none' });
  }
  expect(needOf('POST', '/console/tasks').role).toBe('admin');
  expect(needOf('GET', '/consoles').role).toBe('viewer');
});

interface Described {
  readonly responses: object;
  readonly security?: readonly object[];
}

describe('a key with limits', () => {
  it.each(STRANGERS)('$name sees nothing of it in lists and flows', async ({ name, flows }) => {
    const list = await gateway.ask({ url: '/v1/tasks', headers: as(name) });
    expect(list.json()).toEqual({ items: [], page: { nextCursor: null } });
    const full = await gateway.ask({ url: '/v1/tasks?full=true', headers: as(name) });
    expect(full.json()).toMatchObject({ items: [] });
    const seen = flows === undefined ? 1 : 0;
    const all = await gateway.ask({ url: '/v1/flows', headers: as(name) });
    expect(all.json().items).toHaveLength(seen);
    const one = await gateway.ask({ url: '/v1/flows/test-flow', headers: as(name) });
    expect(one.statusCode).toBe(seen === 1 ? 200 : 404);
    expect((await gateway.ask({ url: '/metrics', headers: as(name) })).statusCode).toBe(403);
  });

  it('starts nothing that it does not see', async () => {
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow' }, as('elsewhere'));
    expect(answer.json()).toMatchObject({ code: 'FLOW_NOT_FOUND' });
    expect(answer.body).not.toContain('Did you mean');
    const batch = { tasks: [{ flow: 'test-flow' }] };
    const many = await gateway.post('/v1/tasks:batch', batch, as('elsewhere'));
    expect(many.json()).toMatchObject({ results: [{ problem: { code: 'FLOW_NOT_FOUND' } }] });
  });

  it('starts tasks that have its labels, and sees them alone', async () => {
    const made = await gateway.post('/v1/tasks', { flow: 'test-flow' }, as('unlabelled'));
    const { taskId: mine } = made.json() as { taskId: string };
    const list = await gateway.ask({ url: '/v1/tasks', headers: as('unlabelled') });
    expect(list.json()).toMatchObject({ items: [{ taskId: mine, labels: { team: 'other' } }] });
    const wrong = { flow: 'test-flow', labels: { team: 'a' } };
    const refused = await gateway.post('/v1/tasks', wrong, as('unlabelled'));
    expect(refused.json()).toMatchObject({ code: 'FORBIDDEN' });
    const asked = await gateway.ask({ url: '/v1/tasks?label.team=a', headers: as('unlabelled') });
    expect(asked.json()).toMatchObject({ items: [] });
  });

  it('learns nothing of the keys of requests that it does not see', async () => {
    const headers = { ...as('admin'), 'idempotency-key': 'one' };
    await gateway.post('/v1/tasks', { flow: 'test-flow' }, headers);
    const again = { ...as('elsewhere'), 'idempotency-key': 'one' };
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow' }, again);
    expect(answer.json()).toMatchObject({ code: 'FLOW_NOT_FOUND' });
  });
});
