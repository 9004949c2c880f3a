import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { makeKey, type KeyOrder, needOf } from '#access';
import { ROLES } from '#ports';
import { chain } from '#testing';
import { openApiDocument } from '../docs/openapi.js';
import { ROUTES as DECLARED } from '../docs/routes.js';
import { Gateway } from '../gateway-spec.js';

/** The roles that may, of every operation. A test below finds a row too few or too many. */
const TABLE: Readonly<Record<string, string>> = {
  'GET /livez': 'everybody',
  'GET /readyz': 'everybody',
  'GET /metrics': 'viewer starter operator author admin',
  'GET /openapi.json': 'viewer starter operator author worker admin',
  'GET /docs': 'viewer starter operator author worker admin',
  'GET /docs/errors': 'viewer starter operator author worker admin',
  'GET /docs/findings': 'viewer starter operator author worker admin',
  'GET /docs/{page}': 'viewer starter operator author worker admin',
  'GET /docs/adr/{page}': 'viewer starter operator author worker admin',
  'GET /': 'everybody',
  'POST /v1/tasks': 'starter operator author admin',
  'POST /v1/tasks:batch': 'starter operator author admin',
  'GET /v1/tasks': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}': 'viewer starter operator author admin',
  'DELETE /v1/tasks/{taskId}': 'operator author admin',
  'GET /v1/tasks/{taskId}/graph': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/events': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/logs': 'viewer starter operator author admin',
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
  'GET /v1/tasks/{taskId}/preview': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/provenance': 'viewer starter operator author admin',
  'GET /v1/tasks/{taskId}/why': 'viewer starter operator author admin',
  'GET /v1/tasks:count': 'viewer starter operator author admin',
  'GET /v1/events': 'viewer starter operator author admin',
  'GET /v1/executors': 'viewer starter operator author admin',
  'GET /v1/attempts': 'viewer starter operator author admin',
  'GET /v1/work': 'worker admin',
  'PUT /v1/workers/{worker}': 'operator author worker admin',
  'DELETE /v1/workers/{worker}': 'worker admin',
  'POST /v1/work:poll': 'worker admin',
  'POST /v1/work:heartbeat': 'worker admin',
  'POST /v1/work/{claim}:heartbeat': 'worker admin',
  'POST /v1/work/{claim}:complete': 'worker admin',
  'POST /v1/work/{claim}:fail': 'worker admin',
  'POST /v1/work/{claim}:again': 'worker admin',
  'POST /v1/work/{claim}:later': 'worker admin',
  'POST /v1/work/{claim}:release': 'worker admin',
  'GET /v1/limits': 'viewer starter operator author admin',
  'PUT /v1/limits/{module}': 'operator author admin',
  'DELETE /v1/limits/{module}': 'operator author admin',
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
  'GET /v1/flows/{name}/statistics': 'viewer starter operator author admin',
  'GET /v1/flows/{name}/versions': 'viewer starter operator author admin',
  'GET /v1/flows/{name}/versions/{version}/source': 'viewer starter operator author admin',
  'GET /v1/flows/{name}/versions/{version}:diff': 'viewer starter operator author admin',
  'PUT /v1/flows/{name}/versions/{version}/drill': 'author admin',
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
  'GET /v1/session/oidc': 'everybody',
  'GET /v1/session/oidc/callback': 'everybody',
  'GET /v1/audit': 'admin',
  'GET /v1/audit/head': 'admin',
  'GET /v1/archive': 'admin',
  'POST /v1/archive': 'admin',
  'POST /v1/backup': 'admin',
};

const ROUTES: readonly string[] = Object.values(DECLARED).map(({ at }) => at);

/** Those about one schedule, notification, operation, flow or command. */
const ABOUT_OTHERS = ROUTES.filter((route) => /\{(name|operationId|module)\}/.test(route));

/** Those that store something under a name which may be taken. */
const NAMING = ['PUT /v1/schedules/{name}', 'PUT /v1/notifications/{name}'];

/** Those that answer with server-sent events where these are asked for. */
const STREAMS = ['GET /v1/events', 'GET /v1/tasks/{taskId}/events', 'GET /v1/tasks/{taskId}/logs'];

const ABSENT_ID = '01a1fd83-4043-77fd-add4-7720fab60215';

let gateway: Gateway;
let taskId: string;
let operationId: string;
const keys = new Map<string, string>();

/** Keys that do not see the task: limited to another flow, or to another label. */
const STRANGERS: readonly KeyOrder[] = [
  { name: 'elsewhere', role: 'operator', flows: 'other-*' },
  { name: 'unlabelled', role: 'operator', labels: { team: 'other' } },
  { name: 'patterned', role: 'operator', labels: { team: 'pay*' } },
  { name: 'onlooker', role: 'viewer', flows: 'other-*' },
];

/** A worker that sees neither the task nor, by its role, any other. */
const HELPER: KeyOrder = { name: 'helper', role: 'worker', flows: 'other-*' };

/** Keys of every right that see nothing of the flow, of its module, or of its label. */
const AUTHORS: readonly KeyOrder[] = [
  { name: 'of-other-flows', role: 'author', flows: 'other-*' },
  { name: 'of-other-labels', role: 'author', labels: { team: 'other' } },
  { name: 'of-other-modules', role: 'author', flows: 'other-*', modules: 'other' },
];

beforeAll(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  const orders = [
    ...ROLES.map((role): KeyOrder => ({ name: role, role })),
    ...STRANGERS,
    HELPER,
    ...AUTHORS,
  ];
  for (const [n, order] of orders.entries()) {
    const secret = { id: `${n}`.padStart(16, '0'), secret: 's'.repeat(43) };
    const { record, text } = makeKey(order, secret, gateway.world.clock.now());
    await gateway.world.store.keys.put(record, null);
    keys.set(order.name, text);
  }
  taskId = await gateway.create({ flow: 'test-flow', labels: { team: 'a' } }, as('admin'));
  await gateway.http.app.listen(0, '127.0.0.1');
  await makeTheirs();
});
afterAll(() => gateway.close());

/**
 * Makes what belongs to the task's flow and module besides the task, by somebody without limits.
 */
async function makeTheirs(): Promise<void> {
  const channel = { type: 'slack', url: 'https://hooks.example.org/x' };
  const orders = [
    ['PUT', '/v1/schedules/theirs', { flow: 'test-flow', every: '12h' }],
    ['PUT', '/v1/notifications/theirs', { on: ['failed'], channel }],
    ['PUT', '/v1/commands/m/theirs', { timeout: '5s' }],
  ] as const;
  for (const [method, url, body] of orders) {
    const { body: said, statusCode } = await gateway.ask({
      method,
      url,
      body,
      headers: as('admin'),
    });
    expect([url, statusCode < 300, said]).toEqual([url, true, said]);
  }
  const order = { action: 'restart', q: 'flow:test-flow', reason: 'a test', dryRun: true };
  const made = await gateway.post('/v1/operations', order, as('admin'));
  ({ operationId } = made.json() as { operationId: string });
}

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
    .replace('{worker}', 'none')
    .replace('{claim}', 'none')
    .replace('{operationId}', 'none');
  // No body is right: whoever may do it is told so, and nothing happens.
  const body = method === 'POST' ? { wrong: true } : undefined;
  // Nor has any task this revision.
  const guard = method === 'DELETE' ? { 'if-match': '"0"' } : {};
  return gateway.ask({ method, url, headers: { ...guard, ...headers }, ...(body && { body }) });
}

/** The address of something that is there, or of something that is not. */
function placeOf(path: string, which: 'absent' | 'theirs'): string {
  const isThere = which === 'theirs';
  return path
    .replace('{operationId}', isThere ? operationId : ABSENT_ID)
    .replace('/flows/{name}', isThere ? '/flows/test-flow' : '/flows/none')
    .replace('{name}', isThere ? 'theirs' : 'none')
    .replace('{version}', '1')
    .replace('{module}', 'm')
    .replace('{command}', isThere ? 'theirs' : 'none');
}

/** All that an answer tells, apart from the name that was asked for. */
function toldBy({ body, headers, statusCode }: LightMyRequestResponse): readonly unknown[] {
  const { requestId: _, ...told } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const names = new RegExp(
    `${taskId}|${operationId}|${ABSENT_ID}|test-flow|theirs|nothing|none`,
    'g',
  );
  const rest = JSON.stringify(told).replaceAll(names, 'NAME');
  return [statusCode, headers['etag'], headers['cache-control'], rest];
}

/** Keys that see nothing of what is at an address; whoever sees a flow or a module sees more. */
function blindTo(path: string): readonly string[] {
  if (path.includes('/commands/')) return ['of-other-modules'];
  const names = AUTHORS.map(({ name }) => name);
  return path.includes('/flows/') ? names.filter((name) => name !== 'of-other-labels') : names;
}

/** A body that is right, so that nothing else is in the way. */
function bodyOf(route: string): object {
  if (route.endsWith(':redeliver')) return { deliveryId: 'x' };
  if (/:(cancel|approve|reject|pause|resume)$/.test(route)) return { reason: 'a test' };
  if (route.endsWith('/schedules/{name}')) return { flow: 'test-flow', every: '12h' };
  if (route.endsWith('/notifications/{name}')) {
    return { on: ['failed'], channel: { type: 'slack', url: 'https://hooks.example.org/x' } };
  }
  return route.startsWith('PUT /v1/flows/')
    ? { steps: [{ normal: { module: 'm', command: 'a' } }] }
    : {};
}

describe('who may do what', () => {
  it('is said of every route here', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...ROUTES].sort());
  });

  it.each(ROUTES)('%s', async (route) => {
    for (const role of ROLES) {
      const { body, statusCode } = await ask(route, as(role));
      const may = TABLE[route] === 'everybody' || TABLE[route]?.split(' ').includes(role) === true;
      const isForbidden = statusCode === 403 && !body.includes('WRONG_CLAIM');
      expect([role, isForbidden]).toEqual([role, !may]);
      if (!may) expect(body).toMatch(/this needs (viewer|starter|operator|author|worker|admin)/);
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

  it.each(STREAMS)('%s begins for each role that may', async (route) => {
    const url = await gateway.http.app.getUrl();
    const path = route.replace('GET ', '').replace('{taskId}', taskId);
    for (const role of ROLES) {
      if (TABLE[route]?.split(' ').includes(role) !== true) continue;
      const headers = { ...as(role), accept: 'text/event-stream' };
      const stream = await fetch(`${url}${path}`, { headers });
      await stream.body?.cancel();
      const type = stream.headers.get('content-type');
      expect([role, stream.status, type]).toEqual([role, 200, 'text/event-stream; charset=utf-8']);
    }
  });

  it.each(ABOUT_OTHERS.filter((route) => !NAMING.includes(route)))(
    '%s of what one does not see: there is none',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const body = method === 'POST' || method === 'PUT' ? { body: bodyOf(route) } : {};
      const ask = async (
        name: string,
        which: 'absent' | 'theirs',
      ): Promise<LightMyRequestResponse> => {
        return gateway.ask({ method, url: placeOf(path, which), headers: as(name), ...body });
      };
      for (const name of blindTo(path)) {
        const said = await ask(name, 'theirs');
        expect(toldBy(said)).toEqual(toldBy(await ask(name, 'absent')));
        // To store something is refused by its name, whether it is there or not.
        const mayBe = method === 'PUT' || method === 'DELETE' ? [404, 403] : [404];
        expect([name, mayBe]).toEqual([name, expect.arrayContaining([said.statusCode])]);
      }
    },
  );

  it.each(NAMING)('%s under a name that somebody else has is refused', async (route) => {
    const url = placeOf(route.slice('PUT '.length), 'theirs');
    const conditions = [{}, { 'if-match': '"1"' }, { 'if-match': '*' }, { 'if-none-match': '*' }];
    for (const { name } of AUTHORS.filter(({ labels }) => labels !== undefined)) {
      for (const condition of conditions) {
        const headers = { ...as(name), ...condition };
        const { body, statusCode } = await gateway.ask({
          method: 'PUT',
          url,
          body: bodyOf(route),
          headers,
        });
        // Names are one name space: that it is taken shows, and nothing else.
        expect([name, statusCode]).toEqual([name, 403]);
        expect(body).toMatch(/may not use this name, which another (schedule|notification) has/);
        expect(body).not.toMatch(/12h|hooks\.example/);
      }
    }
  });

  it.each(ROUTES.filter((route) => route.includes('{taskId}')))(
    '%s of a task that one does not see: there is none',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const place = (id: string): string => path.replace('{taskId}', id).replace('{run}', 'a');
      const body = method === 'POST' ? { body: { wrong: true } } : {};
      for (const { name, role } of [...STRANGERS, HELPER]) {
        const ask = (id: string) =>
          gateway.ask({ method, url: place(id), headers: as(name), ...body });
        const answer = await ask(taskId);
        if (role !== 'worker') expect([name, answer.statusCode]).toEqual([name, 404]);
        const absent = await ask('nothing');
        expect(toldBy(answer)).toEqual(toldBy(absent));
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

  it('starts tasks whose own labels fit its patterns, and sees those alone', async () => {
    const start = async (labels: object) => {
      return (
        await gateway.post('/v1/tasks', { flow: 'test-flow', labels }, as('patterned'))
      ).json();
    };
    for (const labels of [{}, { team: 'a' }, { team: 'repay' }, { tea: 'pay' }]) {
      expect(await start(labels)).toMatchObject({
        code: 'FORBIDDEN',
        detail: expect.stringContaining('starts tasks with the label team=pay* only'),
      });
    }
    const mine = [await start({ team: 'payments' }), await start({ team: 'pay', more: 'x' })];
    const ids = mine.map(({ taskId }) => taskId as unknown).toReversed();
    for (const [query, found] of [
      ['', ids],
      ['?limit=1', ids.slice(0, 1)],
      ['?full=true', ids],
      ['?label.team=pay', ids.slice(0, 1)],
      ['?label.team=a', []],
    ] as const) {
      const url = `/v1/tasks${query}`;
      const { items } = (await gateway.ask({ url, headers: as('patterned') })).json<{
        readonly items: readonly { readonly taskId: string }[];
      }>();
      expect(items.map((item) => item.taskId)).toEqual(found);
    }
  });

  it('learns nothing of the keys of requests that it does not see', async () => {
    const headers = { ...as('admin'), 'idempotency-key': 'one' };
    await gateway.post('/v1/tasks', { flow: 'test-flow' }, headers);
    const again = { ...as('elsewhere'), 'idempotency-key': 'one' };
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow' }, again);
    expect(answer.json()).toMatchObject({ code: 'FLOW_NOT_FOUND' });
  });
});
