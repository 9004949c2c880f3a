import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CheckerBusy, CheckTooCostly } from '#flow-files';
import { ProcessUnavailable } from '#ports';
import { action, chain, flow, settle } from '#testing';
import type { ProblemBody } from '#http-server';
import { Gateway } from '../gateway-spec.js';

const STRICT = flow(chain(['a']).steps, {
  name: 'strict',
  input: {
    type: 'object',
    required: ['cpu'],
    properties: { cpu: { type: 'integer', minimum: 1 } },
  },
});

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b']), STRICT]);
});
afterEach(() => gateway.close());

describe('POST /v1/tasks', () => {
  it('makes a task and says where it is', async () => {
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow', parameters: { cpu: 1 } });
    expect(answer.statusCode).toBe(201);
    const body = answer.json() as { taskId: string };
    expect(answer.headers['location']).toBe(`/v1/tasks/${body.taskId}`);
    expect(answer.headers['x-request-id']).toBe('test-1');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      taskId: body.taskId,
      flow: 'test-flow',
      flowVersion: 1,
      taskStatus: 2,
      status: 'running',
      timeCreate: 1_800_000_000,
    });
    const task = await gateway.world.task(body.taskId);
    expect(task.plan.parameters).toEqual({ cpu: 1 });
    expect(task.journal.at(0)).toMatchObject({ kind: 'created', actor: 'api' });
  });

  it('keeps labels, priority, the actor and the trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const body = { flow: 'test-flow', labels: { 'a.b': '$x', $y: '' }, priority: -5 };
    const headers = { traceparent, 'x-backstep-actor': Buffer.from('Zoë').toString('latin1') };
    const { journal, plan } = await gateway.world.task(await gateway.create(body, headers));
    expect(plan).toMatchObject({ labels: body.labels, priority: -5, traceparent });
    expect(journal.at(0)).toMatchObject({ actor: 'Zoë' });
  });

  it('ignores a trace that cannot be read', async () => {
    const id = await gateway.create({ flow: 'test-flow' }, { traceparent: 'ff-00' });
    expect((await gateway.world.task(id)).plan.traceparent).toBeNull();
  });

  it('answers a repetition with the same task, whatever the order of members', async () => {
    const first = await gateway.post('/v1/tasks', {
      flow: 'test-flow',
      parameters: { a: 1, b: { c: 2, d: 3 } },
      idempotencyKey: 'k',
    });
    const second = await gateway.post(
      '/v1/tasks',
      { parameters: { b: { d: 3, c: 2 }, a: 1 }, labels: {}, flow: 'test-flow' },
      { 'idempotency-key': '"k"' },
    );
    expect(second.statusCode).toBe(200);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['location']).toBe(first.headers['location']);
    const { taskId } = first.json<{ taskId: string }>();
    expect(second.json()).toMatchObject({ taskId });
  });

  it('refuses a key that made another task', async () => {
    const taskId = await gateway.create({ flow: 'test-flow', idempotencyKey: 'k' });
    const body = { flow: 'test-flow', idempotencyKey: 'k', priority: 1 };
    const answer = await gateway.post('/v1/tasks', body);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    expect(answer.body).not.toContain(taskId);
  });

  describe('when its flow is not what it was', () => {
    const body = { flow: 'strict', parameters: { cpu: 1 }, idempotencyKey: 'k' };
    const removed = () => [];
    const stricter = () =>
      gateway.versions.map((version) => ({
        ...version,
        version: 2,
        definition: { ...version.definition, input: { type: 'object', maxProperties: 0 } },
      }));

    it.each([
      { what: 'removed', change: removed, refusal: 'FLOW_NOT_FOUND' },
      { what: 'stricter', change: stricter, refusal: 'INVALID_PARAMETERS' },
    ])('answers a repetition with the same task: $what', async ({ change, refusal }) => {
      const taskId = await gateway.create(body);
      gateway.versions = change();
      const again = await gateway.post('/v1/tasks', body);
      expect(again.statusCode).toBe(200);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.json()).toMatchObject({ taskId, flowVersion: 1 });
      const other = await gateway.post('/v1/tasks', { ...body, parameters: { cpu: 2 } });
      expect(other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
      const fresh = await gateway.post('/v1/tasks', { ...body, idempotencyKey: 'l' });
      expect(fresh.json()).toMatchObject({ code: refusal });
      const batch = await gateway.post('/v1/tasks:batch', { tasks: [body] });
      expect(batch.json()).toMatchObject({ results: [{ status: 200, taskId }] });
    });

    it('asks the store for a key only where the request would be refused', async () => {
      const { store } = gateway.world;
      const asked: string[] = [];
      store.findByKey = async (key) => {
        asked.push(key);
        return null;
      };
      await gateway.create(body);
      await gateway.create(body);
      expect(asked).toEqual([]);
      await gateway.post('/v1/tasks', { flow: 'nope', idempotencyKey: 'l' });
      await gateway.post('/v1/tasks', { flow: 'nope' });
      expect(asked).toEqual(['l']);
    });

    it('says that it cannot tell while the store does not answer', async () => {
      gateway.world.store.down = true;
      const answer = await gateway.post('/v1/tasks', { ...body, flow: 'nope' });
      expect(answer.statusCode).toBe(503);
    });
  });

  it('refuses two different keys', async () => {
    const body = { flow: 'test-flow', idempotencyKey: 'k' };
    const answer = await gateway.post('/v1/tasks', body, { 'idempotency-key': 'l' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/idempotencyKey' }] });
  });

  it('knows no flow that is not there', async () => {
    const answer = await gateway.post('/v1/tasks', { flow: 'nope' });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const body: unknown = answer.json();
    expect(body).toMatchObject({
      type: '/docs/errors#FLOW_NOT_FOUND',
      status: 404,
      instance: '/v1/tasks',
      code: 'FLOW_NOT_FOUND',
      requestId: 'test-1',
      errors: [
        { pointer: '/flow', hint: '`GET /v1/flows` and `backstep flow list` list the flows.' },
      ],
    });
  });

  it('names a flow only to a client that nearly wrote its name', async () => {
    const near = await gateway.post('/v1/tasks', { flow: 'test-flwo' });
    expect(near.json()).toMatchObject({
      errors: [{ hint: expect.stringMatching(/^Did you mean `test-flow`\? `GET/) }],
    });
    const far = await gateway.post('/v1/tasks', { flow: 'anything' });
    expect(far.body).not.toMatch(/test-flow|strict/);
  });

  it.each([
    ['lab', 'Set BACKSTEP_LAB=on, or start Backstep with `backstep dev`.'],
    ['m', 'This process serves x. Add an executor of m to it, or start a worker.'],
  ])('refuses a flow whose module %s nobody in this process serves', async (module, hint) => {
    const step = { name: 'a', needs: [], normal: action(`${module}.a`), rollback: null };
    const known = { modules: () => ['x'], commands: () => [] };
    const alone = await Gateway.open([flow([step], { name: 'f' })], { known });
    const answer = await alone.post('/v1/tasks', { flow: 'f' });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'MODULE_NOT_SERVED',
      detail: `Flow f uses module ${module}, and no executor serves it.`,
      errors: [{ pointer: '/flow', hint }],
    });
    await alone.close();
  });

  it("refuses parameters that are against the flow's input", async () => {
    const answer = await gateway.post('/v1/tasks', { flow: 'strict', parameters: { cpu: 0 } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/parameters/cpu' }],
    });
    expect(gateway.world.store.contents.tasks.size).toBe(0);
  });

  it("refuses a member that the flow's input does not declare", async () => {
    const parameters = { cpu: 1, cpus: 2 };
    const answer = await gateway.post('/v1/tasks', { flow: 'strict', parameters });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/parameters/cpus', hint: 'Did you mean `cpu`?' }],
    });
  });

  it.each([
    [new CheckTooCostly('It took long.'), 422, 'INVALID_PARAMETERS', '/parameters'],
    [new CheckerBusy('Too many.'), 429, 'TOO_MANY_REQUESTS', undefined],
    [new Error('no worker'), 500, 'INTERNAL', undefined],
    [new ProcessUnavailable('it does not start'), 503, 'PROCESS_UNAVAILABLE', undefined],
  ])(
    'tells that parameters could not be checked: %s',
    async (reason, status, ...[code, pointer]) => {
      const refuse = () => Promise.reject(reason);
      const texts = { checkFile: refuse, readFlow: refuse };
      const checker = { checkInput: refuse, checkOutput: refuse, ...texts };
      const busy = await Gateway.open([STRICT], { checker });
      const answer = await busy.post('/v1/tasks', { flow: 'strict', parameters: { cpu: 1 } });
      expect(answer.statusCode).toBe(status);
      expect(answer.json()).toMatchObject({ code, ...(pointer && { errors: [{ pointer }] }) });
      expect(busy.world.store.contents.tasks.size).toBe(0);
      await busy.close();
    },
  );

  it('answers `wait` with the whole task when it has ended', async () => {
    await gateway.create({ flow: 'test-flow' });
    await settle();
    const { timers } = gateway.world.clock;
    const answer = await gateway.post('/v1/tasks?wait=30s', { flow: 'test-flow' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ status: 'succeeded', steps: [{}, {}] });
    expect(gateway.world.clock.timers).toBe(timers);
  });

  it('answers `wait` with the task as it is when the time is over', async () => {
    gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
    const answer = gateway.post('/v1/tasks?wait=2', { flow: 'test-flow' });
    while (gateway.world.store.contents.tasks.size === 0) await settle();
    await settle();
    await gateway.world.clock.advance(2_000);
    expect((await answer).json()).toMatchObject({ status: 'running' });
  });

  it('answers `wait` when the rollback has failed, because a person must act', async () => {
    gateway.failRollback();
    const answer = await gateway.post('/v1/tasks?wait=30s', { flow: 'test-flow' });
    expect(answer.json()).toMatchObject({ status: 'rollback_failed', taskStatus: 5 });
  });

  it('answers `wait` when a person has paused the task, as soon as nothing of it runs', async () => {
    let end = (): void => {};
    gateway.world.commands.scripts.set('m.a', async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'succeeded', output: null };
    });
    const answer = gateway.post('/v1/tasks?wait=10m', { flow: 'test-flow' });
    while (gateway.world.store.contents.tasks.size === 0) await settle();
    await settle();
    const [id] = [...gateway.world.store.contents.tasks.keys()];
    await gateway.post(`/v1/tasks/${id}:pause`, { reason: 'maintenance' });
    end();
    expect((await answer).json()).toMatchObject({
      status: 'paused',
      steps: [{ state: 'succeeded' }, {}],
    });
  });

  it.each(['x', '-1', '11m', '1e3', ''])('refuses to wait for %j', async (wait) => {
    const answer = await gateway.post(`/v1/tasks?wait=${wait}`, { flow: 'test-flow' });
    expect(answer.json()).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/wait' }],
    });
    expect(gateway.world.store.contents.tasks.size).toBe(0);
  });

  it('says that the store does not answer, and when to try again', async () => {
    await gateway.world.store.close();
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('makes the task although the broker is away', async () => {
    gateway.world.transport.publish = () => Promise.reject(new Error('away'));
    expect((await gateway.post('/v1/tasks', { flow: 'test-flow' })).statusCode).toBe(201);
  });
});

describe('POST /v1/tasks:batch', () => {
  it('answers each entry for itself', async () => {
    const tasks = [
      { flow: 'test-flow' },
      { flow: 'nope' },
      { flow: 'test-flow', wrong: 1 },
      7,
      { flow: 'test-flow', idempotencyKey: 'k' },
      { flow: 'test-flow', idempotencyKey: 'k' },
    ];
    const answer = await gateway.post('/v1/tasks:batch', { tasks });
    expect(answer.statusCode).toBe(200);
    const { results } = answer.json() as { results: { status: number; taskId?: string }[] };
    expect(results).toMatchObject([
      { index: 0, status: 201, taskId: expect.any(String) },
      { index: 1, status: 404, problem: { errors: [{ pointer: '/tasks/1/flow' }] } },
      { index: 2, status: 400, problem: { errors: [{ pointer: '/tasks/2/wrong' }] } },
      { index: 3, status: 400, problem: { code: 'INVALID_REQUEST' } },
      { index: 4, status: 201 },
      { index: 5, status: 200 },
    ]);
    expect(results[5]?.taskId).toBe(results[4]?.taskId);
    expect(gateway.world.store.contents.tasks.size).toBe(2);
  });

  it('gives each task the label of the batch, unless its entry says otherwise', async () => {
    const full = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`l${n}`, '']));
    const tasks = [
      { flow: 'test-flow', labels: { entity: 'vm-4' } },
      { flow: 'test-flow', labels: { batch: 'own' } },
      { flow: 'test-flow', labels: full },
    ];
    const answer = await gateway.post('/v1/tasks:batch', { batch: 'nightly', tasks });
    const { results } = answer.json<{ results: { status: number; problem?: ProblemBody }[] }>();
    expect(results.map(({ status }) => status)).toEqual([201, 201, 400]);
    expect(results[2]?.problem?.errors).toMatchObject([{ pointer: '/tasks/2/labels' }]);
    const labels = [...gateway.world.store.contents.tasks.values()].map(({ plan }) => plan.labels);
    expect(labels).toEqual([{ batch: 'nightly', entity: 'vm-4' }, { batch: 'own' }]);
    const wrong = await gateway.post('/v1/tasks:batch', { batch: 'a\nb', tasks });
    expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/batch' }] });
  });

  it('takes a thousand and not one more', async () => {
    const tasks = Array.from({ length: 1_000 }, () => ({ flow: 'nope' }));
    expect((await gateway.post('/v1/tasks:batch', { tasks })).statusCode).toBe(200);
    const more = await gateway.post('/v1/tasks:batch', { tasks: [...tasks, {}] });
    expect(more.json()).toMatchObject({ errors: [{ pointer: '/tasks' }] });
    expect((await gateway.post('/v1/tasks:batch', { tasks: [] })).statusCode).toBe(400);
  });

  it('has no key of its own', async () => {
    const body = { tasks: [{ flow: 'test-flow' }] };
    const answer = await gateway.post('/v1/tasks:batch', body, { 'idempotency-key': 'k' });
    expect(answer.statusCode).toBe(400);
  });

  it('refuses an entry whose parameters are too large, and only that one', async () => {
    const large = { flow: 'test-flow', parameters: { x: 'y'.repeat(4_096) } };
    const answer = await gateway.post('/v1/tasks:batch', { tasks: [large, { flow: 'test-flow' }] });
    expect(answer.json()).toMatchObject({ results: [{ status: 413 }, { status: 201 }] });
  });

  it('lists twenty mistakes of an entry, after two hundred in all one, and counts the rest', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`m${i}`, 1]));
    const tasks = [
      ...Array.from({ length: 12 }, () => ({ flow: 'test-flow', ...many })),
      { flow: 'test-flow' },
    ];
    const answer = await gateway.post('/v1/tasks:batch', { tasks });
    const { results } = answer.json<{ results: { problem?: ProblemBody }[] }>();
    const listed = results.map(({ problem }) => problem?.errors?.length);
    expect(listed).toEqual([...Array<number>(10).fill(20), 1, 1, undefined]);
    const more = results.map(({ problem }) => problem?.moreErrors);
    expect(more).toEqual([...Array<number>(10).fill(10), 29, 29, undefined]);
    expect(results[11]?.problem?.detail).toBe('`m0` is not known here. (and 29 more)');
  });
});

/** Of a task that nothing and nobody keeps from going on. */
const UNDISTURBED = {
  approvals: [],
  awaits: null,
  output: null,
  parent: null,
  paused: null,
  hold: null,
  turned: null,
  lastError: null,
  restartOf: null,
  only: null,
  failureFlow: null,
};

describe('GET /v1/tasks/{taskId}', () => {
  it('shows the whole task', async () => {
    const id = await gateway.create({
      flow: 'test-flow',
      parameters: { p: 1 },
      labels: { l: 'v' },
    });
    await settle();
    const answer = await gateway.ask({ url: `/v1/tasks/${id}` });
    const task = await gateway.world.task(id);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['etag']).toBe(`"${task.revision}"`);
    const action = { module: 'm', timeout: 60, retry: 0, onCrash: { restarts: 3 } };
    const run = {
      state: 'succeeded',
      code: 0,
      message: null,
      timeStart: 1_800_000_000,
      timeEnd: 1_800_000_000,
      attempts: 1,
    };
    const undo = { ...run, state: 'none', timeStart: null, timeEnd: null, attempts: 0 };
    const step = (name: string, needs: string[]) => ({
      ...{ name, kind: 'normal', needs, id: name, generation: 1 },
      ...run,
      output: null,
      normal: { ...action, command: name },
      rollback: { ...action, command: `undo_${name}`, ...undo },
    });
    expect(answer.json()).toEqual({
      taskId: id,
      flow: 'test-flow',
      flowVersion: 1,
      taskStatus: 0,
      status: 'succeeded',
      taskMessage: null,
      taskCursor: 1,
      timeCreate: 1_800_000_000,
      timeStart: 1_800_000_000,
      timeEnd: 1_800_000_000,
      input: { p: 1 },
      parameters: { p: 1 },
      labels: { l: 'v' },
      priority: 0,
      revision: task.revision,
      wakeAt: null,
      origin: { requestId: 'test-1', client: '127.0.0.1', operator: 'api' },
      ...UNDISTURBED,
      steps: [step('a', []), step('b', ['a'])],
    });
  });

  it.each(['"R"', 'W/"R"', '"9", "R"', '*'])('has nothing new for %s', async (known) => {
    const id = await gateway.create({ flow: 'test-flow' });
    await settle();
    const { revision } = await gateway.world.task(id);
    const headers = { 'if-none-match': known.replace('R', String(revision)) };
    const answer = await gateway.ask({ url: `/v1/tasks/${id}`, headers });
    expect(answer.statusCode).toBe(304);
    expect(answer.body).toBe('');
    const old = { 'if-none-match': '"1"' };
    expect((await gateway.ask({ url: `/v1/tasks/${id}`, headers: old })).statusCode).toBe(200);
  });

  it.each(['wait=30s', 'fields=steps'])('does not pass over ?%s', async (query) => {
    const id = await gateway.create({ flow: 'test-flow' });
    const answer = await gateway.ask({ url: `/v1/tasks/${id}?${query}` });
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it.each(['nope', '%00', 'a'.repeat(200), '%7B%22$gt%22%7D', 'a%2Fb'])(
    'knows no task %j',
    async (id) => {
      const answer = await gateway.ask({ url: `/v1/tasks/${id}` });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
    },
  );
});

describe('filters by labels', () => {
  const filters = (count: number): string =>
    Array.from({ length: count }, (_, i) => `label.l${i}=x`).join('&');

  it('are at most as many as a task may have labels', async () => {
    expect((await gateway.ask({ url: `/v1/tasks?${filters(64)}` })).statusCode).toBe(200);
    const answer = await gateway.ask({ url: `/v1/tasks?${filters(65)}` });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/label', message: 'At most 64 `label.<name>` are taken.' }],
    });
  });
});

describe('GET /v1/tasks', () => {
  const list = async (query: string) => {
    const answer = await gateway.ask({ url: `/v1/tasks${query}` });
    const { items, page } = answer.json() as {
      items: { taskId: string }[];
      page: { nextCursor: string | null };
    };
    return { ids: items.map(({ taskId }) => taskId), next: page.nextCursor };
  };

  it('pages through tasks, newest first, undisturbed by new ones', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await gateway.create({ flow: 'test-flow' }));
    const first = await list('?limit=2');
    expect(first.ids).toEqual(ids.slice(0, 2));
    await gateway.create({ flow: 'test-flow' });
    const second = await list(`?limit=2&cursor=${encodeURIComponent(first.next ?? '')}`);
    expect(second.ids).toEqual(ids.slice(2, 4));
    const third = await list(`?limit=2&cursor=${encodeURIComponent(second.next ?? '')}`);
    expect(third).toEqual({ ids: ids.slice(4), next: null });
  });

  it('begins with the oldest where that is asked for', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await gateway.create({ flow: 'test-flow' }));
    const first = await list('?order=oldest&limit=2');
    expect(first.ids).toEqual(ids.slice(0, 2));
    const cursor = encodeURIComponent(first.next ?? '');
    expect((await list(`?order=oldest&cursor=${cursor}`)).ids).toEqual(ids.slice(2));
    expect((await list('?order=newest')).ids).toEqual(ids.toReversed());
  });

  it('filters by flow, status, labels and time', async () => {
    const a = await gateway.create({ flow: 'test-flow', labels: { env: 'x', 'a.b': '$y' } });
    await settle();
    gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
    await gateway.world.clock.advance(10_000);
    const b = await gateway.create({ flow: 'strict', parameters: { cpu: 1 } });
    expect((await list('?flow=strict')).ids).toEqual([b]);
    expect((await list('?status=succeeded')).ids).toEqual([a]);
    expect((await list('?status=running,0')).ids).toEqual([b, a]);
    expect((await list('?status=4')).ids).toEqual([]);
    expect((await list('?label.env=x&label.a.b=%24y')).ids).toEqual([a]);
    expect((await list('?label.env=y')).ids).toEqual([]);
    expect((await list('?createdAfter=1800000010')).ids).toEqual([b]);
    expect((await list('?createdBefore=2027-01-15T08:00:10Z')).ids).toEqual([a]);
  });

  it.each([
    ['?stauts=0', '/stauts'],
    ['?status=gone', '/status'],
    ['?status=', '/status'],
    ['?limit=0', '/limit'],
    ['?limit=201', '/limit'],
    ['?limit=1.5', '/limit'],
    ['?flow=a&flow=b', '/flow'],
    ['?flow=%00', '/flow'],
    ['?flow[$gt]=', '/flow[$gt]'],
    ['?createdAfter=yesterday', '/createdAfter'],
    ['?createdBefore=2026-02-30', '/createdBefore'],
    ['?createdBefore=2026-02-30T08:00:00Z', '/createdBefore'],
    ['?cursor=nope', '/cursor'],
    ['?cursor=', '/cursor'],
    ['?full=yes', '/full'],
  ])('refuses %s', async (query, pointer) => {
    const answer = await gateway.ask({ url: `/v1/tasks${query}` });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
  });

  it('says what it may be asked', async () => {
    const answer = await gateway.ask({ url: '/v1/tasks?labels.team=a' });
    const filters = 'flow, status, label, createdAfter, createdBefore, q, parent, idPrefix';
    const hint = `Known names: ${filters}, order, limit, cursor, full, label.<name>.`;
    expect(answer.json()).toMatchObject({ errors: [{ hint }] });
  });
});
