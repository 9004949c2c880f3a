import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OutputKeeper } from '#platform';
import {
  action,
  flow,
  ManualClock,
  MemoryStore,
  PlainSecrets,
  RecordingObserver,
  settle,
} from '#testing';
import { GuardedGateway } from '../access/guarded-gateway-spec.js';
import type { Gateway } from '../gateway-spec.js';

const make = { name: 'make', needs: [], normal: action('w.make'), rollback: null };
const FLOW = flow([make]);
const POLL = { worker: 'w:1', module: 'w', wait: '0' };

interface Item {
  readonly claim: string;
}

let guarded: GuardedGateway;
let gateway: Gateway;
let headers: Record<string, string>;
let send: ReturnType<GuardedGateway['as']>['send'];

beforeEach(async () => {
  const [store, clock] = [new MemoryStore(), new ManualClock()];
  const observer = new RecordingObserver();
  const output = new OutputKeeper({ records: store.records, clock, observer });
  const secrets = new PlainSecrets();
  guarded = await GuardedGateway.open([FLOW], { store, clock, output, secrets });
  ({ gateway } = guarded);
  headers = await guarded.key('worker', { modules: 'w' });
  ({ send } = guarded.as(headers));
});
afterEach(() => gateway.close());

const LABELS = { batch: 'nightly', entity: 'vm-4', dimension: 'eu' };

async function start(): Promise<string> {
  const { task } = await gateway.world.engine.submit(
    { definition: FLOW, version: 1 },
    { parameters: {}, labels: LABELS },
  );
  await settle();
  return task.plan.taskId;
}

/** The items of a poll; the clock goes on, as its wait is by the clock. */
async function poll(members: object = {}, by = { send }): Promise<readonly Item[]> {
  const asked = by.send('POST', '/v1/work:poll', { ...POLL, ...members });
  for (let n = 0; n < 3; n += 1) {
    await settle();
    await gateway.world.clock.advance(10);
  }
  const { body, status } = await asked;
  expect([status, body]).toEqual([200, expect.objectContaining({ items: expect.any(Array) })]);
  return body['items'] as readonly Item[];
}

it('a failure about parameters has its own number, as from an executor', async () => {
  const taskId = await start();
  const [item] = await poll();
  const body = { code: 'INVALID_PARAMETERS', message: '`cpu` is a number.', retryable: false };
  expect((await send('POST', `/v1/work/${item?.claim}:fail`, body)).status).toBe(200);
  const task = await gateway.world.store.get(taskId);
  expect(task?.runs[0]?.normal).toMatchObject({ state: 'failed', code: 5 });
});

it('a worker is addressed by its name as it is, or with its slashes escaped', async () => {
  const body = { modules: { w: { make: {} } }, slots: 1 };
  for (const name of ['host/17/x7', 'host%2F17%2Fx7', '%68ost/17%2Fx7']) {
    expect([name, (await send('PUT', `/v1/workers/${name}`, body)).status]).toEqual([name, 200]);
  }
  const { body: known } = await guarded.as(await guarded.key('admin')).send('GET', '/v1/executors');
  const instances = (known['items'] as readonly { instance: string }[]).map(
    (each) => each.instance,
  );
  expect(instances.filter((name) => name.includes('17'))).toEqual(['host/17/x7']);
  expect((await send('DELETE', '/v1/workers/host/17/x7', undefined)).status).toBe(204);
});

describe('an output that its worker has declared', () => {
  const size = { type: 'integer', minimum: 1 };
  const key = { type: 'object', properties: { text: { type: 'string' } } };
  const output = { required: ['size'], properties: { size, key } };
  const command = { output, secrets: ['key'] };

  beforeEach(async () => {
    const body = { modules: { w: { make: command } }, slots: 1 };
    expect((await send('PUT', '/v1/workers/w:1', body)).status).toBe(200);
  });

  async function complete(given: object | null): Promise<readonly [object, unknown]> {
    const taskId = await start();
    const [item] = await poll();
    const done = (): ReturnType<typeof send> =>
      send('POST', `/v1/work/${item?.claim}:complete`, { output: given });
    const { body } = await done();
    const { requestId: _, ...same } = body;
    expect((await done()).body).toMatchObject(same);
    return [body, (await gateway.world.store.get(taskId))?.runs[0]?.normal];
  }

  it('is taken if it fits, with members that the schema does not name', async () => {
    const [, normal] = await complete({ size: 2, more: true });
    expect(normal).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    [{ size: 0 }, '/output/size', 'must be at least 1'],
    [{}, '/output/size', 'is missing'],
    [null, '/output/size', 'is missing'],
  ])('fails the step for good if it does not fit: %j', async (given, pointer, words) => {
    const [body, normal] = await complete(given);
    const message = expect.stringContaining(words);
    expect(body).toMatchObject({
      status: 422,
      code: 'INVALID_OUTPUT',
      detail: expect.stringContaining(pointer),
      errors: [{ pointer, message }],
    });
    expect(normal).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: 'INVALID_OUTPUT',
      message,
    });
  });

  it('tells nothing of a secret that does not fit', async () => {
    const [body, normal] = await complete({ size: 1, key: { text: { 'my-secret': 1 } } });
    expect(body).toMatchObject({ code: 'INVALID_OUTPUT', errors: [{ pointer: '/output/key' }] });
    expect(JSON.stringify([body, normal])).not.toMatch(/my-secret|text/);
  });

  it('that does not fit leaves the lines of its attempt', async () => {
    const taskId = await start();
    const [item] = await poll();
    const body = { output: {}, log: ['no size was found'] };
    expect((await send('POST', `/v1/work/${item?.claim}:complete`, body)).status).toBe(422);
    const operator = guarded.as(await guarded.key('operator'));
    const { body: log } = await operator.send('GET', `/v1/tasks/${taskId}/logs`);
    expect(log).toMatchObject({ items: [{ message: 'no size was found' }] });
  });

  it('is shown beside the parameters', async () => {
    const admin = guarded.as(await guarded.key('admin'));
    const { body } = await admin.send('GET', '/v1/executors');
    const commands = [{ name: 'make', parameters: null, output }];
    expect(body['items']).toContainEqual(expect.objectContaining({ instance: 'w:1', commands }));
  });
});

describe('the answer to a poll', () => {
  it('says how long the poll had waited, beside the times of its items', async () => {
    const asked = send('POST', '/v1/work:poll', { ...POLL, wait: '30s' });
    await settle();
    await gateway.world.clock.advance(12_000);
    await start();
    const { body } = await asked;
    const [item] = body['items'] as readonly Item[];
    expect(item).toMatchObject({ waitedMs: 12_000, leaseMs: 15_000, timeLeftMs: 60_000 });
  });

  it('has the labels of the task, and so its batch, entity and dimension', async () => {
    await start();
    expect(await poll()).toMatchObject([{ labels: LABELS }]);
  });

  it('is one of no items once the key is revoked', async () => {
    const asked = send('POST', '/v1/work:poll', { ...POLL, wait: '30s' });
    await settle();
    await gateway.world.store.keys.remove('0'.repeat(15) + '1', 'any');
    gateway.keyRing.forget('0'.repeat(15) + '1');
    await gateway.world.clock.advance(3_000);
    expect(await asked).toMatchObject({ status: 200, body: { items: [] } });
  });

  it('is that too many wait, with a time to come back', async () => {
    const parked = jest.spyOn(gateway.options.desk, 'parked', 'get').mockReturnValue(5_000);
    const answer = await gateway.post('/v1/work:poll', { ...POLL, wait: '1s' }, headers);
    expect(answer.json()).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
    expect(answer.headers['retry-after']).toBe('5');
    parked.mockRestore();
    expect(await poll()).toEqual([]);
  });

  it('is that the store is away, with a time to come back', async () => {
    gateway.world.store.down = true;
    const answer = await gateway.post('/v1/work:poll', POLL, headers);
    expect(answer.json()).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' });
    expect(answer.headers['retry-after']).toBeDefined();
  });

  it('is refused to a key that is limited to flows or labels', async () => {
    for (const limits of [{ flows: 'test-*' }, { labels: { team: 'a' } }]) {
      const other = guarded.as(await guarded.key('worker', { modules: 'w', ...limits }));
      const { body } = await other.send('POST', '/v1/work:poll', POLL);
      expect(body).toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  it('is kept by nobody', async () => {
    const answer = await gateway.ask({ url: '/v1/work', headers });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({
      protocols: [1],
      limits: {
        claimsPerPoll: 100,
        waitMs: 30_000,
        leaseMs: { min: 10_000, default: 30_000, max: 600_000 },
        logBytes: 65_536,
      },
    });
  });
});

describe('a poll whose client has gone', () => {
  it('leaves what it would have got to others, as if it had never been', async () => {
    await gateway.http.app.listen(0, '127.0.0.1');
    const { hostname, port } = new URL(await gateway.http.app.getUrl());
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ ...POLL, wait: '30s' });
    const head = [
      'POST /v1/work:poll HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: ${headers['authorization']}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    while (gateway.options.desk.parked === 0) await settle();
    socket.destroy();
    await once(socket, 'close');
    while (gateway.options.desk.parked > 0) await settle();
    await start();
    const [item] = await poll();
    expect(item).toMatchObject({ attempt: 1, fencingToken: 1 });
  });
});

describe('a report', () => {
  it('of a task that retention has removed finds it gone', async () => {
    const taskId = await start();
    const [item] = await poll();
    gateway.world.store.contents.tasks.delete(taskId);
    for (const verb of ['heartbeat', 'complete']) {
      const { body } = await send('POST', `/v1/work/${item?.claim}:${verb}`, {});
      expect(body).toMatchObject({ status: 410, code: 'TASK_GONE' });
    }
    const claims = [{ claim: item?.claim }];
    const { body } = await send('POST', '/v1/work:heartbeat', { worker: 'w:1', claims });
    expect(body).toMatchObject({ claims: [{ state: 'lost', reason: 'task_gone' }] });
  });

  it('names what its action has made and removed, and may have one text as its lines', async () => {
    const taskId = await start();
    const [item] = await poll({ build: 'shop@1' });
    const viewer = guarded.as(await guarded.key('viewer'));
    const running = await viewer.send('GET', '/v1/attempts');
    expect(running.body).toMatchObject({ items: [{ taskId, build: 'shop@1' }] });
    const outside = { creates: [{ type: 'vm', id: 'i-1' }], released: [{ type: 'ip', id: '::1' }] };
    const body = { ...outside, log: 'one\ntwo' };
    expect((await send('POST', `/v1/work/${item?.claim}:complete`, body)).status).toBe(200);
    const operator = guarded.as(await guarded.key('operator'));
    const told = await operator.send('GET', `/v1/tasks/${taskId}/events`);
    expect(told.body).toMatchObject({
      items: [
        { kind: 'created' },
        { kind: 'started', build: 'shop@1' },
        { kind: 'succeeded', ...outside },
        {},
      ],
    });
  });

  it('leaves its lines once, however often it is told until it is taken', async () => {
    const modules = { w: { make: { secrets: ['key'] } } };
    await send('PUT', '/v1/workers/w:1', { modules, slots: 1 });
    const taskId = await start();
    const [item] = await poll();
    const tell = (output: object): ReturnType<typeof send> =>
      send('POST', `/v1/work/${item?.claim}:complete`, { output, log: 'made' });
    for (const output of [{ key: 'my-secret' }, { key: 'my-secret' }, {}]) await tell(output);
    const operator = guarded.as(await guarded.key('operator'));
    const { body } = await operator.send('GET', `/v1/tasks/${taskId}/logs`);
    expect(body).toMatchObject({ items: [{ message: 'made' }] });
    expect(body['items']).toHaveLength(1);
  });

  it.each([5_000_000, 20_000_000])(
    'of %d bytes fails the step for good, also where it is told again',
    async (bytes) => {
      const taskId = await start();
      const [item] = await poll();
      for (const log of ['one', 'the same']) {
        const body = { output: { text: 'x'.repeat(bytes) }, log };
        const told = await send('POST', `/v1/work/${item?.claim}:complete`, body);
        expect(told).toMatchObject({ status: 422, body: { code: 'OUTPUT_TOO_LARGE' } });
      }
      const task = await gateway.world.store.get(taskId);
      expect(task?.runs[0]?.normal).toMatchObject({ state: 'failed', attempts: 1 });
    },
  );

  it('is taken once, and by the key that has the claim alone', async () => {
    await start();
    const [item] = await poll();
    const url = `/v1/work/${item?.claim}:complete`;
    const other = guarded.as(await guarded.key('worker', { modules: 'w' }));
    expect((await other.send('POST', url, {})).body).toMatchObject({ code: 'FORBIDDEN' });
    const done = await send('POST', url, { output: { a: 1, b: 2 } });
    expect(done).toEqual({ status: 200, body: { taskStatus: 0, status: 'succeeded' } });
    // Members have no order.
    const { headers: again } = await gateway.post(url, { output: { b: 2, a: 1 } }, headers);
    expect(again['idempotent-replayed']).toBe('true');
    expect((await send('POST', url, { output: { a: 2 } })).body).toMatchObject({
      code: 'OUTCOME_DIFFERS',
    });
  });
});

describe('the name of a worker', () => {
  it('is of the key that registered it, until it is silent', async () => {
    const other = guarded.as(await guarded.key('worker', { modules: '*' }));
    const register = (by: { send: typeof send }, module: string) =>
      by.send('PUT', '/v1/workers/w:1', { modules: { [module]: { make: {} } }, slots: 1 });
    const leave = () => other.send('DELETE', '/v1/workers/w:1');
    const refused = {
      status: 403,
      body: { code: 'FORBIDDEN', detail: expect.stringContaining('another key') },
    };
    // Polls alone keep no name.
    await poll();
    expect((await leave()).status).toBe(204);
    await register({ send }, 'w');
    expect(await Promise.all([register(other, 'w'), leave()])).toMatchObject([refused, refused]);
    await poll({}, other);
    await gateway.world.clock.advance(36_000);
    expect((await register(other, 'w')).status).toBe(200);
    expect((await send('DELETE', '/v1/workers/w:1')).body).toMatchObject(refused.body);
    expect((await leave()).status).toBe(204);
    await register({ send }, 'w');
    expect((await register(other, 'x')).status).toBe(200);
    await poll();
  });
});

describe('a good-bye', () => {
  it('hands back what the worker has, again and again without harm', async () => {
    await start();
    await poll();
    for (let n = 0; n < 2; n += 1) {
      expect((await send('DELETE', '/v1/workers/w:1')).status).toBe(204);
    }
    await settle();
    expect(await poll({ worker: 'w:2' })).toMatchObject([{ fencingToken: 2 }]);
  });

  it('is for callers who may serve all modules of the worker', async () => {
    await poll();
    const other = guarded.as(await guarded.key('worker', { modules: 'x' }));
    const { body } = await other.send('DELETE', '/v1/workers/w:1');
    expect(body).toMatchObject({ code: 'FORBIDDEN', detail: expect.stringContaining('module w') });
  });

  it('of a name that nobody knows hands nothing back', async () => {
    await start();
    const [item] = await poll();
    await gateway.world.store.withdraw('w:1', 'w');
    const other = guarded.as(await guarded.key('worker', { modules: 'x' }));
    expect((await other.send('DELETE', '/v1/workers/w:1')).status).toBe(204);
    const { body } = await send('POST', `/v1/work/${item?.claim}:heartbeat`, {});
    expect(body).toMatchObject({ state: 'held' });
  });
});
