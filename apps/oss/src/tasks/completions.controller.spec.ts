import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import type { ApprovalRule } from '#ports';
import { action, chain, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { GuardedGateway } from '../access/guarded-gateway-spec.js';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
let taskId: string;
let token: string;

const steps = chain(['a', 'b']).steps;
const nested = [{ ...flow([]), name: 'x', needs: [], group: steps, retry: action('m.a').retry }];

beforeAll(async () => {
  const groups = nested.map(({ group, name, needs, retry }) => {
    return { group, name, needs, retry, timeoutMs: null };
  });
  const inGroup = { ...flow(groups), name: 'grouped' };
  gateway = await Gateway.open([chain(['a', 'b']), inGroup], { maxParameters: 1_024 });
  const { scripts } = gateway.world.commands;
  scripts.set('m.a', () => ({ kind: 'completes_later', timeoutMs: null }));
});
afterAll(() => gateway.close());

async function start(of = 'test-flow'): Promise<void> {
  taskId = await gateway.create({ flow: of });
  await settle();
  token = gateway.world.commands.contexts.at(-1)?.completionToken ?? '';
}

beforeEach(() => start());

function complete(body: object, run = 'a', headers: Record<string, string> = {}) {
  const url = `/v1/tasks/${taskId}/steps/${encodeURIComponent(run)}:complete`;
  return gateway.post(url, body, headers);
}

describe('a completion from outside', () => {
  it('ends the step with its output, answered with the whole task', async () => {
    const waiting = await gateway.ask({ url: `/v1/tasks/${taskId}` });
    expect(waiting.json().steps[0]).toMatchObject({
      ...{ state: 'waiting', waitsFor: 'completion' },
    });
    expect(waiting.json().steps[1]).not.toHaveProperty('waitsFor');
    expect(misfits('Task', waiting.json())).toEqual([]);
    expect(waiting.body).not.toContain(token);
    const answer = await complete({ token, output: { host: 'h' } });
    expect(answer.statusCode).toBe(200);
    expect(misfits('Task', answer.json())).toEqual([]);
    expect(answer.json()).toMatchObject({
      steps: [{ state: 'succeeded', output: { host: 'h' } }, {}],
    });
    await settle();
    const done = await gateway.ask({ url: `/v1/tasks/${taskId}` });
    expect(done.json()).toMatchObject({ status: 'succeeded', parameters: { host: 'h' } });
  });

  it('answers the same when it is repeated, and refuses anything else then', async () => {
    await complete({ token, output: { host: 'h' } }, 'a', { 'if-match': '*' });
    const again = await complete({ output: { host: 'h' }, token }, 'a', { 'if-match': '"1"' });
    expect(again.statusCode).toBe(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await complete({ token, output: { host: 'other' } });
    expect(other.json()).toMatchObject({ status: 409, code: 'ILLEGAL_ACTION' });
  });

  it('takes an error, with which the task goes back', async () => {
    const error = { code: 'QUOTA', message: 'no room' };
    const answer = await complete({ token, error });
    expect(answer.json()).toMatchObject({
      status: 'rolling_back',
      lastError: { step: 'a', code: 'QUOTA', message: 'no room' },
    });
  });

  it('is of a step in others too, by the id of its run', async () => {
    await start('grouped');
    const answer = await complete({ token }, 'x#1/a');
    expect(answer.statusCode).toBe(200);
  });

  it.each([
    ['a wrong token', 'a', 'bsc_n1_nothing'],
    ['a run that is not there', 'nowhere', 'bsc_n1_nothing'],
  ])('is refused for %s', async (_what, run, wrong) => {
    const answer = await complete({ token: wrong, output: {} }, run);
    expect(answer.json()).toMatchObject({ status: 403, code: 'WRONG_COMPLETION_TOKEN' });
    expect(answer.body).not.toContain(wrong);
  });

  it.each([
    [{ output: {} }, 422, '/reason'],
    [{ reason: '' }, 400, '/reason'],
    [{ token: 't', error: { code: 'quota', message: 'm' } }, 400, '/error'],
    [{ token: 't', error: { code: 'QUOTA' } }, 400, '/error'],
    [{ token: 't', error: { code: 'Q', message: 'm', retryable: 'no' } }, 400, '/error'],
    [{ token: 't', output: [] }, 400, '/output'],
    [{ token: 't', other: 1 }, 400, '/other'],
  ])('is read strictly: %j', async (body, status, pointer) => {
    const answer = await complete(body);
    expect(answer.json()).toMatchObject({ status, errors: [{ pointer }] });
  });

  it('has an output or an error, and not too much of it', async () => {
    const both = await complete({ token, output: {}, error: { code: 'Q', message: 'm' } });
    expect(both.json()).toMatchObject({ status: 422, errors: [{ pointer: '/error' }] });
    const large = await complete({ token, output: { text: 'x'.repeat(1_100) } });
    expect(large.json()).toMatchObject({ status: 413, errors: [{ pointer: '/output' }] });
  });

  it('is refused where the task has moved, and where there is none', async () => {
    const moved = await complete({ token }, 'a', { 'if-match': '"1"' });
    expect(moved.json()).toMatchObject({ status: 412, code: 'REVISION_CHANGED' });
    taskId = 'none';
    expect((await complete({ token })).json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});

describe('the output of a completion', () => {
  const required = ['host'];
  const outputs = [
    { properties: { host: { type: 'string' } }, required, additionalProperties: false },
    { properties: { hosts: { type: 'array' } }, required: ['hosts'] },
  ];
  let whole: Gateway;

  beforeAll(async () => {
    const commands = ['a', 'b', 'undo_a', 'undo_b'];
    const known = { modules: () => ['m'], commands: () => commands };
    const schemas = (_module: string, command: string) => (command === 'a' ? outputs : []);
    whole = await Gateway.open([chain(['a', 'b'])], { known: { ...known, outputs: schemas } });
    const later = () => ({ kind: 'completes_later', timeoutMs: null }) as const;
    whole.world.commands.scripts.set('m.a', later);
  });
  afterAll(() => whole.close());

  async function waiting(): Promise<{ url: string; token: string }> {
    const id = await whole.create({ flow: 'test-flow' });
    await settle();
    const { completionToken = '' } = whole.world.commands.contexts.at(-1) ?? {};
    return { url: `/v1/tasks/${id}/steps/a:complete`, token: completionToken };
  }

  it.each([
    ['with a token', (token: string) => ({ token })],
    ['by right', () => ({ reason: 'seen by hand' })],
  ])('%s must fit what the command announces, and the step waits on', async (_how, by) => {
    const { token, url } = await waiting();
    for (const output of [undefined, { host: 7 }, { host: 'h', more: 1 }]) {
      const answer = await whole.post(url, { ...by(token), output });
      expect(answer.json()).toMatchObject({ status: 422, code: 'INVALID_OUTPUT' });
      const [{ pointer }] = answer.json<{ errors: [{ pointer: string }] }>().errors;
      expect(pointer).toBe(output?.more === undefined ? '/output/host' : '/output/more');
    }
    const fitting = { ...by(token), output: { host: 'h' } };
    expect((await whole.post(url, fitting)).statusCode).toBe(200);
  });

  it('fits if one of the builds takes it, and an error needs to fit none', async () => {
    const one = await waiting();
    const output = { hosts: [], more: 1 };
    expect((await whole.post(one.url, { token: one.token, output })).statusCode).toBe(200);
    const other = await waiting();
    const error = { code: 'QUOTA', message: 'no room' };
    expect((await whole.post(other.url, { token: other.token, error })).statusCode).toBe(200);
  });

  it('that has been taken is taken again, whatever is announced by now', async () => {
    const { token, url } = await waiting();
    const report = { token, output: { host: 'h' } };
    expect((await whole.post(url, report)).statusCode).toBe(200);
    const [schema] = outputs.splice(0, 1, { ...outputs[0]!, required: ['other'] });
    const again = await whole.post(url, report);
    outputs.splice(0, 1, schema!);
    expect(again.statusCode).toBe(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('the key of a worker', () => {
  it('completes the work of its modules, and no other', async () => {
    const guarded = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
    const { clock, commands, store } = guarded.world;
    commands.scripts.set('m.a', () => ({ kind: 'completes_later', timeoutMs: null }));
    const texts = await Promise.all(
      [['m'], ['other'], ['m', 'x']].map(async (modules, n) => {
        const secret = { id: `${n}`.padStart(16, '0'), secret: 's'.repeat(43) };
        const role = n === 2 ? 'operator' : 'worker';
        const order = { name: `for-${n}`, role, modules } as const;
        const { record, text } = makeKey(order, secret, clock.now());
        await store.keys.put(record, null);
        return text;
      }),
    );
    const { task } = await guarded.world.engine.submit(
      { definition: chain(['a', 'b']), version: 1 },
      { parameters: {} },
    );
    await settle();
    const body = { token: commands.contexts.at(-1)?.completionToken };
    const url = `/v1/tasks/${task.plan.taskId}/steps/a:complete`;
    const send = (text = '') => guarded.post(url, body, { authorization: `Bearer ${text}` });
    expect((await send(texts[1])).json()).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const completed = { taskId: task.plan.taskId, step: 'a', state: 'succeeded' };
    for (const isAgain of [false, true]) {
      // Of the task it learns nothing else, not even the revision.
      const { headers, json, statusCode } = await send(texts[0]);
      expect([statusCode, json()]).toEqual([200, completed]);
      expect([headers['etag'], headers['idempotent-replayed']]).toEqual([
        undefined,
        isAgain ? 'true' : undefined,
      ]);
    }
    expect((await send(texts[2])).json()).toMatchObject({ steps: [{ output: null }, {}] });
    await guarded.close();
  });
});

describe('an operator without a token', () => {
  const reason = 'the machine is there';

  it('completes what waits, with an output, and is named with the reason', async () => {
    const answer = await complete({ reason, output: { host: 'h' } }, 'a', {
      'x-backstep-actor': 'ann',
    });
    expect(answer.json()).toMatchObject({
      steps: [{ state: 'succeeded', output: { host: 'h' } }, {}],
    });
    const events = await gateway.ask({ url: `/v1/tasks/${taskId}/events` });
    expect(events.json().items).toContainEqual(
      expect.objectContaining({ kind: 'succeeded', actor: 'ann', message: reason, step: 'a' }),
    );
    // The token comes too late.
    expect((await complete({ token })).json()).toMatchObject({ code: 'ILLEGAL_ACTION' });
  });

  it('says that it failed, and the task goes back', async () => {
    const answer = await complete({ reason, error: { code: 'GONE', message: 'no machine' } });
    expect(answer.json()).toMatchObject({
      status: 'rolling_back',
      lastError: { step: 'a', code: 'GONE', message: 'no machine' },
    });
  });

  it('does it once by a key', async () => {
    const key = { 'idempotency-key': 'k1' };
    await complete({ reason }, 'a', key);
    const again = await complete({ reason }, 'a', key);
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });

  it('completes a rollback that waits, by the id of its run', async () => {
    const { scripts } = gateway.world.commands;
    scripts.set('m.undo_a', () => ({ kind: 'completes_later', timeoutMs: null }));
    await start('grouped');
    await complete({ reason, error: { code: 'GONE', message: 'no machine' } }, 'x#1/a');
    await settle();
    const answer = await complete({ reason }, 'x#1/a');
    await settle();
    scripts.delete('m.undo_a');
    expect(answer.statusCode).toBe(200);
    const task = await gateway.ask({ url: `/v1/tasks/${taskId}` });
    expect(task.json()).toMatchObject({ status: 'rolled_back' });
  });

  it.each([
    ['b', 'b does not, and these do: a'],
    ['nowhere', 'nowhere does not, and these do: a'],
  ])('is refused where %s does not wait, with the names of those that do', async (run, words) => {
    const answer = await complete({ reason }, run);
    expect(answer.json()).toMatchObject({
      code: 'ILLEGAL_ACTION',
      detail: expect.stringContaining(words),
    });
  });

  it('is told to complete what cannot be skipped', async () => {
    const answer = await gateway.post(`/v1/tasks/${taskId}:skip`, { step: 'a', reason });
    expect(answer.json()).toMatchObject({
      code: 'ILLEGAL_ACTION',
      detail: 'A waits for its completion from outside: complete it instead.',
    });
  });

  it('sees what it would start', async () => {
    const url = `/v1/tasks/${taskId}/preview?action=complete&step=a`;
    expect((await gateway.ask({ url })).json()).toMatchObject({ starts: [{ step: 'b' }] });
  });

  it('completes many by one operation', async () => {
    const other = taskId;
    await start();
    const order = { action: 'complete', q: 'status:running', step: 'a', output: { n: 1 }, reason };
    const begun = await gateway.post('/v1/operations', order);
    expect(begun.statusCode).toBe(202);
    for (let n = 0; n < 20; n += 1) {
      await settle();
      await gateway.world.clock.advance(1_000);
    }
    for (const id of [taskId, other]) {
      const task = await gateway.ask({ url: `/v1/tasks/${id}` });
      expect(task.json()).toMatchObject({ status: 'succeeded', parameters: { n: 1 } });
    }
  });
});

describe('the right to complete without a token', () => {
  const reason = 'the machine is there';
  const rule = { text: 'the rule', flows: ['test-*'] };

  async function guardedTask(approvals?: readonly ApprovalRule[]) {
    const guarded = await GuardedGateway.open(
      [chain(['a', 'b'])],
      approvals === undefined ? {} : { approvals },
    );
    const { commands } = guarded.gateway.world;
    commands.scripts.set('m.a', () => ({ kind: 'completes_later', timeoutMs: null }));
    const admin = guarded.as(await guarded.key('admin'));
    const { body } = await admin.send('POST', '/v1/tasks', { flow: 'test-flow' });
    await settle();
    const id = String(body['taskId']);
    return { guarded, id, url: `/v1/tasks/${id}/steps/a:complete` };
  }

  it.each([
    ['worker', {}, 403],
    ['starter', {}, 403],
    ['operator', { flows: 'other-*' }, 404],
    ['operator', { modules: 'other' }, 403],
    ['operator', { modules: 'm' }, 200],
  ] as const)('is checked: %s with %j', async (role, limits, status) => {
    const { guarded, url } = await guardedTask();
    const caller = guarded.as(await guarded.key(role, limits));
    expect(await caller.send('POST', url, { reason })).toMatchObject({ status });
    await guarded.gateway.close();
  });

  it.each([['complete'], ['skip']] as const)(
    'waits for a second person by a rule about %s, who then has it done',
    async (ruled) => {
      const { guarded, id, url } = await guardedTask([{ ...rule, actions: [ruled] }]);
      const first = guarded.as(await guarded.key('operator'));
      const second = guarded.as(await guarded.key('operator'));
      const asked = await first.send('POST', url, { reason, output: { host: 'h' } });
      expect(asked).toMatchObject({ status: 202, body: { status: 'waiting' } });
      expect((await first.send('GET', `/v1/tasks/${id}`)).body).toMatchObject({
        status: 'running',
      });
      const operation = `/v1/operations/${String(asked.body['operationId'])}`;
      await second.send('POST', `${operation}:approve`, { comment: 'yes' });
      await guarded.rest();
      expect((await first.send('GET', `/v1/tasks/${id}`)).body).toMatchObject({
        status: 'succeeded',
        parameters: { host: 'h' },
      });
      await guarded.gateway.close();
    },
  );
});
