import assert from 'node:assert/strict';
import { waitUntil } from '../../servers/wait-until.js';
import { membersOf, type Reply, type Sent } from '../exchange.js';
import type { Reproduction, Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const SUCCEED = { normal: { module: 'lab', command: 'succeed' } };
const HANG = { normal: { module: 'lab', command: 'sleep', retry: 0, parameters: { ms: 600_000 } } };
const SURE = { name: 'sure', approve: { title: 'Pay?', roles: ['admin'] } };
const PAY = { name: 'pay', ...SUCCEED };
const GRANTED = { by: 'boss', comment: 'granted', at: '2026-01-01T00:00:00.000Z' };
const SECRET_INPUT = {
  type: 'object',
  properties: { note: { type: 'string' }, password: { type: 'string', secret: true } },
};

/** Flows of two teams, and those that ask people before they pay. */
const FLOWS = {
  'mine-long': [{ name: 'long', ...HANG }],
  'other-long': [{ name: 'long', ...HANG }],
  'pay-long': [{ name: 'long', ...HANG }],
  'wrap-pay': { steps: [{ name: 'child', flow: { name: 'pay-long' } }] },
  'ask-later': { steps: [{ name: 'first', ...HANG }, SURE, PAY] },
  'ask-now': { steps: [SURE, PAY] },
  'ask-inside': { steps: [{ name: 'first', ...HANG }, { name: 'box', group: [SURE] }, PAY] },
  'ask-branch': {
    steps: [{ name: 'first', ...HANG }, { name: 'both', parallel: { a: [SURE], b: [PAY] } }, PAY],
  },
  'keep-secret': {
    input: SECRET_INPUT,
    onFailure: 'hold',
    steps: [
      {
        name: 'use',
        normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal', message: 'no' } },
      },
    ],
  },
  'past-secret': { input: SECRET_INPUT, steps: [{ name: 'use', ...SUCCEED }] },
  'by-name': {
    input: { properties: { which: { type: 'string' } } },
    steps: [{ name: 'child', flow: { name: '{% which %}' } }],
  },
  'by-data': {
    input: { properties: { steps: { type: 'array' } } },
    steps: [{ name: 'made', dynamic: { steps: '{% steps %}' } }],
  },
  outside: [
    { name: 'later', normal: { module: 'lab', command: 'later', parameters: { timeout: '10m' } } },
  ],
};

const REASON = { reason: 'a stranger wants it' };

function start(flow: string, more: object = {}): Sent {
  return { path: '/v1/tasks', body: { flow, ...more } };
}

async function begin(stand: Stand, flow: string, more: object = {}): Promise<string> {
  const reply = await stand.sendAs('admin', start(flow, more));
  assert.equal(reply.status, 201, reply.text);
  return membersOf<{ taskId: string }>(reply).taskId ?? '';
}

interface TaskView {
  readonly status: string;
  readonly steps: readonly { readonly name: string; readonly state: string }[];
}

async function taskOf(stand: Stand, taskId: string): Promise<Partial<TaskView>> {
  return membersOf<TaskView>(await stand.sendAs('admin', { path: `/v1/tasks/${taskId}` }));
}

/** Resolves when the task has a status, or a step of it a state. */
async function untilIt(stand: Stand, taskId: string, wanted: string): Promise<void> {
  const look = async (): Promise<void> => {
    const { status, steps = [] } = await taskOf(stand, taskId);
    const seen = [status, ...steps.map(({ name, state }) => `${name} ${state}`)];
    assert.ok(seen.includes(wanted), `${wanted} is due, it is ${seen.join(', ')}`);
  };
  await waitUntil(look, { what: `task ${taskId}`, deadlineMs: 60_000 });
}

function refused(reply: Reply): void {
  const isRefused = [400, 403, 404, 409, 422].includes(reply.status);
  assert.ok(isRefused, `it is ${reply.status} ${reply.text.slice(0, 300)}`);
}

interface Operation {
  readonly operationId: string;
  readonly matched: number;
  readonly done: number;
  readonly status: string;
}

/** Orders an operation and waits until nothing more comes of it by itself. */
async function operate(stand: Stand, name: string, body: object): Promise<Partial<Operation>> {
  const made = await stand.sendAs(name, { path: '/v1/operations', body: { ...REASON, ...body } });
  if (made.status >= 400) return { matched: 0, done: 0, status: 'refused' };
  const { operationId = '' } = membersOf<Operation>(made);
  let last: Partial<Operation> = {};
  const look = async (): Promise<void> => {
    const path = `/v1/operations/${operationId}`;
    last = membersOf<Operation>(await stand.sendAs(name, { path }));
    assert.notEqual(last.status, 'running');
  };
  await waitUntil(look, { what: `operation ${operationId}`, deadlineMs: 60_000 });
  return last;
}

/** Each searches for tasks of one flow only, and `hidden` are those that it must not find. */
const SEARCHES = [
  { caller: 'team', q: 'flow:other-long', hidden: ['mine-long', 'other-long'] },
  { caller: 'team', q: 'flow:*-long', hidden: ['other-long'] },
  { caller: 'everything', q: 'flow:mine-long', hidden: ['other-long'] },
] as const;

const searches = SEARCHES.map(({ caller, hidden, q }): Reproduction => ({
  rule: `a term of a search narrows what a key with limits finds: ${q} by ${caller}`,
  sends: `q=${q} in a list, in a count and in an action on all that match`,
  play: async (stand) => {
    const spared: string[] = [];
    for (const flow of hidden) spared.push(await begin(stand, flow));
    const list = await stand.sendAs(caller, { path: `/v1/tasks?limit=200&q=${q}` });
    const { items = [] } = membersOf<{ items: { flow: string }[] }>(list);
    const found = items.map(({ flow }) => flow).filter((flow) => hidden.includes(flow as never));
    assert.deepEqual(found, []);
    const count = await stand.sendAs(caller, { path: `/v1/tasks:count?by=flow&q=${q}` });
    const { counts = {} } = membersOf<{ counts: object }>(count);
    assert.deepEqual(
      Object.keys(counts).filter((flow) => hidden.includes(flow as never)),
      [],
    );
    await operate(stand, caller, { action: 'terminate', q });
    for (const taskId of spared) assert.equal((await taskOf(stand, taskId)).status, 'running');
  },
}));

const twoPeople: readonly Reproduction[] = [
  {
    rule: 'an action that needs two people is not done by one through a search for another flow',
    sends: 'terminate on q=flow:mine-long by a key of all flows, beside a rule on pay-*',
    play: async (stand) => {
      const paying = await begin(stand, 'pay-long');
      await untilIt(stand, paying, 'long running');
      await operate(stand, 'everything', { action: 'terminate', q: 'flow:mine-long' });
      await operate(stand, 'everything', { action: 'terminate', q: 'flow:pay-long' });
      await operate(stand, 'everything', { action: 'terminate', q: '' });
      assert.equal((await taskOf(stand, paying)).status, 'running');
    },
  },
  {
    rule: 'an action that needs two people on a child task needs them on its parent as well',
    sends: ':terminate of the parent, and the same as an action on all that match',
    play: async (stand) => {
      const parent = await begin(stand, 'wrap-pay');
      const below = { path: `/v1/tasks?parent=${parent}` };
      const begun = async (): Promise<void> => {
        const { items = [] } = membersOf<{ items: object[] }>(await stand.sendAs('admin', below));
        assert.equal(items.length, 1);
      };
      await waitUntil(begun, { what: 'the child task', deadlineMs: 60_000 });
      const path = `/v1/tasks/${parent}:terminate`;
      const reply = await stand.sendAs('everything', { path, body: REASON });
      assert.notEqual(reply.status, 200, reply.text);
      await operate(stand, 'everything', { action: 'terminate', q: 'flow:wrap-pay' });
      assert.equal((await taskOf(stand, parent)).status, 'running');
    },
  },
];

/** Each is a way past a step that asks admins, for an operator. */
const PASSED: readonly (readonly [flow: string, step: string])[] = [
  ['ask-later', 'sure'],
  ['ask-now', 'sure'],
  ['ask-inside', 'box'],
  ['ask-branch', 'both'],
];

const approvals: readonly Reproduction[] = [
  ...PASSED.map(([flow, step]) => ({
    rule: `a step that asks admins is not passed over by an operator: ${flow}`,
    sends: `:skip of ${step}, by one request and on all that match`,
    play: async (stand: Stand) => {
      const taskId = await begin(stand, flow);
      await untilIt(stand, taskId, flow === 'ask-now' ? 'sure waiting' : 'first running');
      const skip = { ...REASON, step, output: GRANTED };
      const path = `/v1/tasks/${taskId}:skip`;
      refused(await stand.sendAs('everything', { path, body: skip }));
      const q = `flow:${flow}`;
      await operate(stand, 'everything', { action: 'skip', q, step, output: GRANTED });
      const { steps = [] } = await taskOf(stand, taskId);
      const passed = steps.filter(({ name, state }) => {
        return name === step && ['skipped', 'succeeded'].includes(state);
      });
      assert.deepEqual(passed, []);
    },
  })),
  ...['ask-later', 'ask-inside', 'ask-branch'].map((flow) => ({
    rule: `a step behind one that asks people is not run by itself by a starter or an operator: ${flow}`,
    sends: 'only=pay with what the person would have said, alone and in a batch',
    play: async (stand: Stand) => {
      const body = { flow, only: 'pay', given: flow === 'ask-later' ? { sure: GRANTED } : {} };
      for (const caller of ['starter', 'everything']) {
        refused(await stand.sendAs(caller, { path: '/v1/tasks', body }));
        const path = '/v1/tasks:batch';
        const batch = await stand.sendAs(caller, { path, body: { tasks: [body] } });
        const { results = [] } = membersOf<{ results: { status: number }[] }>(batch);
        assert.ok(
          results.every(({ status }) => status >= 400),
          batch.text,
        );
      }
    },
  })),
];

const changes: readonly Reproduction[] = [
  {
    rule: 'an author who is limited to a label changes nothing that tasks of others follow',
    sends: 'PUT and DELETE of flows, and defaults of commands, by a key with a label',
    play: async (stand) => {
      const flow = { steps: [SUCCEED] };
      const orders: readonly Sent[] = [
        { method: 'PUT', path: '/v1/flows/new-one', body: flow },
        { method: 'PUT', path: '/v1/commands/lab/succeed', body: { retry: 3 } },
      ];
      for (const sent of orders) {
        const { status, text } = await stand.sendAs('labelled', sent);
        assert.equal(status, 403, `${sent.path}: ${status} ${text}`);
      }
      await stand.sendAs('admin', { method: 'PUT', path: '/v1/flows/stored-one', body: flow });
      const gone = { method: 'DELETE', path: '/v1/flows/stored-one' };
      assert.equal((await stand.sendAs('labelled', gone)).status, 403);
    },
  },
];

const edits: readonly Reproduction[] = (['***', { $secret: 'env:API_TOKEN' }] as const).map(
  (value) => ({
    rule: `what one request may not write into parameters, none on all that match may: ${JSON.stringify(value)}`,
    sends: 'retry with parameters, alone, and on all that match',
    play: async (stand: Stand) => {
      const parameters = { note: 'n', password: 'S3cr3t-value-1' };
      const taskId = await begin(stand, 'keep-secret', { parameters });
      await untilIt(stand, taskId, 'on_hold');
      const edit = value === '***' ? { password: value } : { note: value };
      const path = `/v1/tasks/${taskId}:retry`;
      const one = await stand.sendAs('everything', { path, body: { ...REASON, parameters: edit } });
      const order = { action: 'retry', q: 'flow:keep-secret', parameters: edit };
      const many = await operate(stand, 'everything', order);
      if (one.status >= 400) assert.equal(many.done ?? 0, 0, JSON.stringify(many));
      const { body } = await shownOf(stand, taskId);
      assert.ok(!body.includes('$secret'), body);
    },
  }),
);

async function shownOf(stand: Stand, taskId: string): Promise<{ readonly body: string }> {
  const path = `/v1/tasks/${taskId}/provenance`;
  return { body: (await stand.sendAs('admin', { path })).text };
}

const seals: Reproduction = {
  rule: 'a secret is not handed on to a version of the flow that it was not given to',
  sends: ':restart after a new version was stored that shows the secret',
  play: async (stand) => {
    const flow = (command: string): object => ({
      input: SECRET_INPUT,
      steps: [{ name: 'use', normal: { module: 'lab', command } }],
    });
    const at = { method: 'PUT', path: '/v1/flows/edited-secret' };
    assert.equal((await stand.sendAs('admin', { ...at, body: flow('succeed') })).status, 201);
    const parameters = { note: 'n', password: 'S3cr3t-value-2' };
    const taskId = await begin(stand, 'edited-secret', { parameters });
    await untilIt(stand, taskId, 'succeeded');
    const path = `/v1/tasks/${taskId}:restart`;
    const same = await stand.sendAs('everything', { path, body: REASON });
    assert.equal(same.status, 201, same.text);
    const shows = {
      input: SECRET_INPUT,
      steps: [{ name: 'use', set: { shown: '{% password %}' } }],
    };
    const put = await stand.sendAs('admin', { ...at, body: shows });
    assert.equal(put.status, 200, put.text);
    refused(await stand.sendAs('everything', { path, body: REASON }));
    const q = 'flow:edited-secret status:succeeded';
    assert.equal((await operate(stand, 'everything', { action: 'restart', q })).done ?? 0, 0);
  },
};

const limits: readonly Reproduction[] = [
  {
    rule: 'a child task that is named at run time keeps to the limits of whoever started the task',
    sends: 'a flow by expression, started by a key that sees by-* alone',
    play: async (stand) => {
      const sent = start('by-name', { parameters: { which: 'other-long' } });
      await expectNoTask(stand, sent, 'other-long');
    },
  },
  {
    rule: 'steps that are data keep to the limits of whoever started the task',
    sends: 'steps of another module, started by a key of the module http',
    play: async (stand) => {
      const steps = [{ name: 'done', ...SUCCEED }];
      const reply = await stand.sendAs('outsider', start('by-data', { parameters: { steps } }));
      if (reply.status >= 400) return;
      const { taskId = '' } = membersOf<{ taskId: string }>(reply);
      await untilIt(stand, taskId, 'rolled_back');
    },
  },
];

/** Starts a task as a caller with limits: no task of a flow that he does not see comes of it. */
async function expectNoTask(stand: Stand, sent: Sent, flow: string): Promise<void> {
  const path = `/v1/tasks:count?q=flow:${flow}`;
  const count = async (): Promise<unknown> => {
    return membersOf(await stand.sendAs('admin', { path }))['total'];
  };
  const before = await count();
  const reply = await stand.sendAs('by-name', sent);
  if (reply.status < 400) {
    const { taskId = '' } = membersOf<{ taskId: string }>(reply);
    await untilIt(stand, taskId, 'rolled_back');
  }
  assert.equal(await count(), before);
}

const worker: Reproduction = {
  rule: 'a worker that reports how a step ended reads nothing else of the task',
  sends: ':complete by a key of the role worker',
  play: async (stand) => {
    const taskId = await begin(stand, 'outside', { parameters: { hidden: 'value-of-others' } });
    await untilIt(stand, taskId, 'later waiting');
    const at = `/modules/lab/completions?taskId=${taskId}`;
    const list = membersOf<{ items: { id: string; token: string }[] }>(
      await stand.sendAs('admin', { path: at }),
    );
    const [{ id, token } = { id: '', token: '' }] = list.items ?? [];
    const path = `/v1/tasks/${taskId}/steps/${id}:complete`;
    const reply = await stand.sendAs('worker', { path, body: { token, output: { done: true } } });
    assert.equal(reply.status, 200, reply.text);
    assert.ok(!reply.text.includes('value-of-others'), reply.text);
    await untilIt(stand, taskId, 'succeeded');
  },
};

/** Callers with keys: a rule that holds at one way in holds at all others. */
export const otherDoors: Subject = {
  name: 'other doors',
  settings: {
    approvals: 'terminate, skip on pay-* needs two',
    secretKey: Buffer.alloc(32, 7).toString('base64'),
    secrets: 'http=env:API_TOKEN',
  },
  flows: FLOWS,
  callers: {
    team: { role: 'operator', flows: ['mine-*'] },
    everything: { role: 'operator', flows: ['*'] },
    starter: { role: 'starter' },
    labelled: { role: 'author', labels: { team: 'pay' } },
    'by-name': { role: 'starter', flows: ['by-*'] },
    outsider: { role: 'starter', modules: ['http'] },
    worker: { role: 'worker', modules: ['lab'] },
  },
  reproductions: [
    ...searches,
    ...twoPeople,
    ...approvals,
    ...changes,
    ...edits,
    seals,
    ...limits,
    worker,
  ],
};
