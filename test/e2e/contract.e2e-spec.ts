import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { type Answer, Api, type Ask, PRACTICE_FLOWS, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Deployment, DEPLOYMENTS, INDEPENDENT, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const FLOW = 'create-db-instance';
const SIZE = { cpu: 1, memory: 2, storage: 3 };
const NOBODY = '/v1/tasks/01900000-0000-7000-8000-000000000000';
const TASKS = '/v1/tasks';
const reason = 'of the contract';

type Refusal = readonly [rule: string, ask: Ask, status: number, code: string];

const post = (path: string, body: unknown, headers = {}): Ask => ({ path, body, headers });
const create = (body: unknown, headers = {}): Ask => post(TASKS, body, headers);

/** Requests that are refused, wherever Backstep runs. */
const REFUSALS: readonly Refusal[] = [
  ['a body that is not JSON', create('{"flow":'), 400, 'MALFORMED_JSON'],
  ['an empty body', create(''), 400, 'MALFORMED_JSON'],
  ['a body without a flow', create({}), 400, 'INVALID_REQUEST'],
  ['an unknown member', create({ flow: FLOW, flwo: 1 }), 400, 'INVALID_REQUEST'],
  ['parameters that are a list', create({ flow: FLOW, parameters: [] }), 400, 'INVALID_REQUEST'],
  ['labels that are no texts', create({ flow: FLOW, labels: { a: 1 } }), 400, 'INVALID_REQUEST'],
  ['a flow nobody knows', create({ flow: 'nobody' }), 404, 'FLOW_NOT_FOUND'],
  ['an unknown parameter', { path: `${TASKS}?colour=red` }, 400, 'INVALID_REQUEST'],
  ['an unknown status', { path: `${TASKS}?status=happy` }, 400, 'INVALID_REQUEST'],
  ['a limit that is too large', { path: `${TASKS}?limit=201` }, 400, 'INVALID_REQUEST'],
  ['a cursor nobody gave out', { path: `${TASKS}?cursor=x` }, 400, 'INVALID_REQUEST'],
  [
    'input that the flow does not take',
    create({ flow: 'delete-db-instance' }),
    422,
    'INVALID_PARAMETERS',
  ],
  [
    'too much',
    create({ flow: FLOW, parameters: { text: 'x'.repeat(300_000) } }),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'another kind of body',
    create('flow=a', { 'content-type': 'text/plain' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['a task that is not there', { path: NOBODY }, 404, 'TASK_NOT_FOUND'],
  ['events of a task that is not there', { path: `${NOBODY}/events` }, 404, 'TASK_NOT_FOUND'],
  [
    'an action on a task that is not there',
    post(`${NOBODY}:rollback`, { reason }),
    404,
    'TASK_NOT_FOUND',
  ],
  ['an address that is not there', { path: '/v1/nothing' }, 404, 'NOT_FOUND'],
  ['a method that is not taken', { path: TASKS, method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED'],
];

/** Of a task that nothing and nobody keeps from going on. */
const UNDISTURBED = {
  approvals: [],
  awaits: null,
  paused: null,
  hold: null,
  lastError: null,
  restartOf: null,
  only: null,
  failureFlow: null,
  output: null,
  parent: null,
  turned: null,
};
const RUN = { state: expect.any(String), code: expect.any(Number), attempts: expect.any(Number) };
const ACTION = {
  module: expect.any(String),
  command: expect.any(String),
  timeout: expect.any(Number),
  retry: expect.anything(),
  onCrash: expect.anything(),
};
const SECONDS = expect.any(Number);

/** `create-db-instance` after it has succeeded, as the contract shows a whole task. */
function wholeTask(): object {
  const names = ['check_resource', 'init_instance', 'deduct_resource'];
  const steps = names.map((command, index) => ({
    ...RUN,
    name: command,
    kind: 'normal',
    id: command,
    generation: 1,
    needs: names.slice(index - 1, index).slice(0, index),
    state: 'succeeded',
    code: 0,
    message: null,
    timeStart: SECONDS,
    timeEnd: SECONDS,
    output: expect.any(Object),
    normal: { ...ACTION, command },
    rollback: {
      ...ACTION,
      // The webhook of the first rollback has a limit of its own.
      ...(index === 0 && { attemptTimeout: 30 }),
      ...RUN,
      state: expect.stringMatching(/^(none|pending)$/),
      message: null,
      timeStart: null,
      timeEnd: null,
      attempts: 0,
    },
  }));
  return {
    taskId: expect.any(String),
    flow: FLOW,
    flowVersion: 1,
    taskStatus: 0,
    status: 'succeeded',
    taskMessage: null,
    taskCursor: 2,
    timeCreate: SECONDS,
    timeStart: SECONDS,
    timeEnd: SECONDS,
    input: SIZE,
    parameters: expect.objectContaining({ ...SIZE, host: expect.any(String) }),
    labels: { team: 'a' },
    priority: 0,
    revision: expect.any(Number),
    wakeAt: null,
    origin: expect.objectContaining({ operator: 'api', requestId: expect.any(String) }),
    ...UNDISTURBED,
    steps,
  };
}

describe.each([...new Set([...DEPLOYMENTS, INDEPENDENT])])('$kind', ({ kind, servers }) => {
  describeWith(`HTTP of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`contract-${kind}`);
    let backstep: Deployment;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = { flows: await writeFlows(folder, PRACTICE_FLOWS) };
        backstep = trial.use(await startDeployment(kind, { folder, settings }));
        api = new Api(backstep.url);
      }),
    );
    afterAll(() => trial.close());

    describe.each(REFUSALS)('%s', (...[, ask, status, code]) => {
      trial.it(`is refused with ${status} ${code}`, async () => {
        const answer = await api.ask<Record<string, unknown>>(ask);
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(answer.headers.get('x-request-id')).toBeTruthy();
        expect(answer).toMatchObject({ status, body: { status, code } });
        const { detail, errors, instance, title, type } = answer.body;
        expect([type, title, detail, instance].every((text) => typeof text === 'string')).toBe(
          true,
        );
        for (const error of (errors as object[] | undefined) ?? []) {
          expect(error).toMatchObject({ pointer: expect.any(String), message: expect.any(String) });
        }
      });
    });

    trial.it('a task is created, found, waited for and shown whole', async () => {
      const body = { flow: FLOW, parameters: SIZE, labels: { team: 'a' } };
      const created = await api.ask<TaskView>(create(body, { 'x-request-id': 'mine-1' }));
      expect(created.status).toBe(201);
      expect(created.headers.get('x-request-id')).toBe('mine-1');
      const { taskId } = created.body;
      expect(created.headers.get('location')).toBe(`/v1/tasks/${taskId}`);
      expect(Object.keys(created.body).toSorted((a, b) => a.localeCompare(b))).toEqual([
        'flow',
        'flowVersion',
        'status',
        'taskId',
        'taskStatus',
        'timeCreate',
      ]);
      const task = await untilTask(api, taskId);
      expect(task).toEqual(wholeTask());
      const shown = await api.ask({ path: `/v1/tasks/${taskId}` });
      expect(shown.headers.get('etag')).toBe(`"${task.revision}"`);
      const headers = { 'if-none-match': `"${task.revision}"` };
      expect(await api.ask({ path: `/v1/tasks/${taskId}`, headers })).toMatchObject({
        status: 304,
      });
      const found = await api.list('&label.team=a&status=succeeded');
      expect(found.map((item) => item.taskId)).toEqual([taskId]);
    });

    trial.it('each entry of a batch has an answer of its own', async () => {
      const tasks = [{ flow: 'lab-succeed' }, { flow: 'nobody' }, { flow: 1 }];
      const { body, status } = await api.ask(post('/v1/tasks:batch', { tasks }));
      expect(status).toBe(200);
      expect(body).toEqual({
        results: [
          { index: 0, status: 201, taskId: expect.any(String) },
          { index: 1, status: 404, problem: expect.objectContaining({ code: 'FLOW_NOT_FOUND' }) },
          { index: 2, status: 400, problem: expect.objectContaining({ code: 'INVALID_REQUEST' }) },
        ],
      });
    });

    trial.it('a request that is repeated with its key is answered with the same task', async () => {
      const ask = create({ flow: 'lab-succeed' }, { 'idempotency-key': 'the-same' });
      const first = await api.ask<TaskView>(ask);
      const again = await api.ask<TaskView>(ask);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body.taskId).toBe(first.body.taskId);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const other = create({ flow: 'lab-retry' }, { 'idempotency-key': 'the-same' });
      expect(await api.ask(other)).toMatchObject({
        status: 422,
        body: { code: 'IDEMPOTENCY_KEY_REUSED' },
      });
    });

    trial.it('an action is carried out once, and on the revision that was seen', async () => {
      const { taskId } = await api.run('lab-stuck');
      // The alert moves the task as well.
      await untilTold(api, taskId);
      const stuck = await api.task(taskId);
      const path = `/v1/tasks/${stuck.taskId}:skip`;
      const body = { step: 'stuck', reason };
      const stale = await api.ask(post(path, body, { 'if-match': '"1"' }));
      expect(stale).toMatchObject({ status: 412, body: { code: 'REVISION_CHANGED' } });
      const match = { 'if-match': `"${stuck.revision}"`, 'idempotency-key': 'skip-1' };
      const answers: Answer<TaskView>[] = [];
      for (let turn = 0; turn < 2; turn += 1) answers.push(await api.ask(post(path, body, match)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[1]!.headers.get('idempotent-replayed')).toBe('true');
      await untilTask(api, stuck.taskId);
      const events = await api.events(stuck.taskId);
      expect(events.filter(({ kind }) => kind === 'skip_requested')).toMatchObject([
        { message: reason, actor: expect.any(String) },
      ]);
      expect(await api.act(stuck.taskId, 'retry', { reason })).toMatchObject({
        status: 409,
        body: { code: 'ILLEGAL_ACTION' },
      });
    });

    trial.it('a reset that can keep no child tasks names the member that asks for it', async () => {
      const { steps, taskId } = await api.run('lab-succeed');
      const body = { to: steps[0]?.name, reason, children: 'failed' };
      expect(await api.ask(post(`${TASKS}/${taskId}:reset`, body))).toMatchObject({
        status: 409,
        body: { code: 'ILLEGAL_ACTION', errors: [{ pointer: '/children' }] },
      });
      const foreign = { ...body, children: { id: taskId } };
      expect(await api.ask(post(`${TASKS}/${taskId}:reset`, foreign))).toMatchObject({
        status: 422,
        body: { code: 'INVALID_PARAMETERS', errors: [{ pointer: '/children/id' }] },
      });
    });

    trial.it(
      'events have a number, a time with milliseconds, and somebody who caused them',
      async () => {
        const { taskId } = await api.run('lab-succeed');
        for (const [index, event] of (await api.events(taskId)).entries()) {
          expect(event).toMatchObject({ seq: index + 1, actor: expect.any(String) });
          expect(event.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        }
      },
    );

    trial.it('pages stay the same while tasks are created', async () => {
      for (let count = 0; count < 5; count += 1) await api.create('lab-succeed');
      type Page = { items: TaskView[]; page: { nextCursor: string | null } };
      const all = await api.get<Page>('/v1/tasks?limit=4');
      const first = await api.get<Page>('/v1/tasks?limit=2');
      await api.create('lab-succeed');
      const cursor = encodeURIComponent(first.page.nextCursor ?? '');
      const second = await api.get<Page>(`/v1/tasks?limit=2&cursor=${cursor}`);
      const ids = [...first.items, ...second.items].map(({ taskId }) => taskId);
      expect(ids).toEqual(all.items.map(({ taskId }) => taskId));
    });

    trial.it('flows, their versions and their mistakes are shown', async () => {
      const flow = await api.get<object>(`/v1/flows/${FLOW}`);
      expect(flow).toMatchObject({ name: FLOW, version: 1 });
      expect(await api.get(`/v1/flows/${FLOW}/versions/1`)).toMatchObject({ name: FLOW });
      const bad = { broken: [{ normal: { module: 'lab' } }] };
      const { body, status } = await api.ask(post('/v1/flows:validate', bad));
      expect({ status, body }).toMatchObject({ status: 200, body: { valid: false } });
    });

    trial.it('flows come by requests as well, are retired, and come back', async () => {
      const path = '/v1/flows/by-request';
      const put = (command: string, to = path, headers = {}): Ask => {
        const body = [{ normal: { module: 'lab', command } }];
        return { method: 'PUT', path: to, body, headers };
      };
      const stored = async (ask: Ask): Promise<object> => {
        const { body, status } = await api.ask<{ version: number; revived: boolean }>(ask);
        return [status, body.version, body.revived];
      };
      expect(await stored(put('succeed'))).toEqual([201, 1, false]);
      expect(await stored(put('sleep'))).toEqual([200, 2, false]);
      expect(await stored(put('sleep'))).toEqual([200, 2, false]);
      const { taskId } = (await api.ask<TaskView>(create({ flow: 'by-request@1' }))).body;
      expect(await untilTask(api, taskId)).toMatchObject({ flowVersion: 1, taskStatus: 0 });
      const isNew = { 'if-none-match': '*' };
      for (const [ask, status, code] of [
        [put('succeed', path, isNew), 412, 'REVISION_CHANGED'],
        [put('succeed', `/v1/flows/${FLOW}`), 409, 'FLOW_IN_FILE'],
        [{ method: 'PUT', path, body: [{ normal: {} }] }, 422, 'INVALID_FLOW'],
      ] as const) {
        expect(await api.ask(ask)).toMatchObject({ status, body: { code } });
      }
      expect(await api.get(`${path}/versions`)).toMatchObject({ items: [{}, { version: 1 }] });
      const diff = await api.get<object>(`${path}/versions/1:diff?to=2`);
      expect(diff).toMatchObject({ added: [{ step: 'sleep' }], removed: [{ step: 'succeed' }] });
      expect(await api.ask({ method: 'DELETE', path })).toMatchObject({ status: 204 });
      const refused = { status: 404, body: { code: 'FLOW_NOT_FOUND' } };
      expect(await api.ask(create({ flow: 'by-request' }))).toMatchObject(refused);
      expect(await stored(put('sleep'))).toEqual([200, 3, true]);
    });

    trial.it('tasks are started by the clock', async () => {
      const path = '/v1/schedules/by-clock';
      const put = (body: object): Ask => ({ method: 'PUT', path, body });
      const soon = { flow: 'lab-succeed', every: '1s', overlap: 'allow' };
      expect(await api.ask(put(soon))).toMatchObject({ status: 201, body: { paused: false } });
      expect(await api.ask(put(soon))).toMatchObject({ status: 200, body: { generation: 1 } });
      type Schedule = { lastRun: { taskId: string } | null; next: readonly string[] };
      const started = async (): Promise<void> => {
        const { lastRun } = await api.get<Schedule>(path);
        if (lastRun === null) throw new Error('nothing was started');
      };
      await waitUntil(started, { what: 'the schedule starts nothing', deadlineMs: 30_000 });
      const cron = { flow: 'lab-succeed', cron: '30 2 * * *', timezone: 'Europe/Berlin' };
      expect(await api.ask(put(cron))).toMatchObject({ status: 200, body: { generation: 2 } });
      const { lastRun, next } = await api.get<Schedule>(`${path}?next=10`);
      expect([next.length, next]).toEqual([10, next.toSorted()]);
      expect(await untilTask(api, lastRun?.taskId ?? '')).toMatchObject({
        taskStatus: 0,
        labels: { schedule: 'by-clock', moment: expect.any(String) },
      });
      const { body } = await api.ask<TaskView>(post(`${path}:trigger`, {}));
      expect(await untilTask(api, body.taskId)).toMatchObject({ taskStatus: 0 });
      for (const wrong of [{ cron: '61 * * * *' }, { every: '1h', at: '2090-01-01' }]) {
        const refused = { status: 422, body: { code: 'INVALID_SCHEDULE' } };
        expect(await api.ask(put({ flow: 'lab-succeed', ...wrong }))).toMatchObject(refused);
      }
      expect(await api.ask({ method: 'DELETE', path })).toMatchObject({ status: 204 });
      const gone = { status: 404, body: { code: 'SCHEDULE_NOT_FOUND' } };
      expect(await api.ask({ path })).toMatchObject(gone);
    });

    trial.it('changes of all tasks are told, page by page', async () => {
      type Changes = { items: readonly { taskId: string }[]; lastEventId: string };
      const { lastEventId } = await api.get<Changes>('/v1/events');
      const { taskId } = await api.run('lab-succeed');
      const path = `/v1/events?lastEventId=${lastEventId}&q=flow:lab-*`;
      const { items } = await api.get<Changes>(path);
      expect(items).toContainEqual(expect.objectContaining({ taskId, status: 'succeeded' }));
    });

    trial.it('people are told by notifications, whose secrets nobody sees', async () => {
      const path = '/v1/notifications/by-contract';
      const channel = { type: 'webhook', url: 'http://127.0.0.1:9/in', secret: 's'.repeat(24) };
      const put = (body: object): Ask => ({ method: 'PUT', path, body });
      const on = ['failed'];
      const masked = { type: 'webhook', url: 'http://127.0.0.1:9/***', secret: '***' };
      const stored = { status: 201, body: { on, q: null, channel: masked, throttle: 0 } };
      expect(await api.ask(put({ on, channel }))).toMatchObject(stored);
      expect(await api.ask(put({ on, channel }))).toMatchObject({ body: { generation: 1 } });
      const tested = await api.ask<{ deliveryId: string }>({
        method: 'POST',
        path: `${path}:test`,
      });
      expect(tested).toMatchObject({ status: 200, body: { state: 'failed' } });
      const { deliveryId } = tested.body;
      const log = await api.get<object>(`${path}/deliveries`);
      expect(log).toMatchObject({ items: [{ deliveryId, on: 'test' }] });
      const again = await api.ask(post(`${path}:redeliver`, { deliveryId }));
      expect(again).toMatchObject({ status: 200, body: { state: 'pending' } });
      const wrong = await api.ask(put({ on, channel: { type: 'slack' } }));
      expect(wrong).toMatchObject({ status: 422, body: { code: 'INVALID_NOTIFICATION' } });
      expect(await api.ask({ method: 'DELETE', path })).toMatchObject({ status: 204 });
    });

    trial.it('machines and people find what they look for', async () => {
      for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs']) {
        expect(await api.ask({ path })).toMatchObject({ status: 200 });
      }
      const hosts = await new Api(backstep.hostsUrl).get<object>('/modules/resource/hosts');
      expect(hosts).toMatchObject({ items: [{ host: expect.any(String) }, {}, {}, {}] });
    });
  });
});

/** Resolves when the on-call has been told. */
function untilTold(api: Api, taskId: string): Promise<void> {
  const probe = async (): Promise<void> => {
    const events = await api.events(taskId);
    const isTold = events.some(({ kind }) => kind === 'alert_started');
    if (!isTold) throw new Error(JSON.stringify(events));
  };
  return waitUntil(probe, { what: 'nobody was told', deadlineMs: 60_000 });
}
