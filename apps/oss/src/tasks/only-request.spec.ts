import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RETRY, type StepPlan } from '#core';
import type { Role } from '#ports';
import { action, chain, done, fails, flow, settle } from '#testing';
import { alone, CallersOf } from '../access/gate-spec.js';
import { Gateway } from '../gateway-spec.js';

const INNER = [{ name: 'in', needs: [], normal: action('m.in'), rollback: null }];
const GROUPED = flow(
  [{ name: 'group', needs: [], group: INNER, retry: NO_RETRY, timeoutMs: null }],
  { name: 'grouped' },
);

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b', 'c']), GROUPED]);
});
afterEach(() => gateway.close());

interface Shown {
  readonly taskId: string;
  readonly status: string;
  readonly only: string | null;
  readonly steps: readonly { readonly name: string; readonly state: string }[];
}

async function run(body: object): Promise<Shown> {
  const taskId = await gateway.create({ flow: 'test-flow', ...body });
  await settle();
  return (await gateway.ask({ url: `/v1/tasks/${taskId}` })).json<Shown>();
}

describe('POST /v1/tasks with `only`', () => {
  it('runs that step alone, with what the steps before it are said to have given', async () => {
    const given = { a: { host: 'h1' } };
    const task = await run({ only: 'b', given, parameters: { size: 3 } });
    expect(task).toMatchObject({ only: 'b', status: 'succeeded' });
    expect(task.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'a skipped',
      'b succeeded',
    ]);
    const { calls, contexts } = gateway.world.commands;
    expect(calls).toEqual(['b:normal']);
    expect(contexts[0]?.parameters).toEqual({ size: 3, host: 'h1' });
    expect(contexts[0]?.results).toEqual(given);
  });

  it('undoes nothing but that step where it fails', async () => {
    gateway.world.commands.scripts.set('m.b', () => fails());
    expect(await run({ only: 'b' })).toMatchObject({ status: 'rolled_back' });
    expect(gateway.world.commands.calls).toEqual(['b:normal', 'b:rollback']);
  });

  it('undoes nothing but that step where a person wants it', async () => {
    const { taskId } = await run({ only: 'c' });
    const answer = await gateway.post(`/v1/tasks/${taskId}:undo`, { reason: 'tried' });
    expect(answer.statusCode).toBe(200);
    await settle();
    expect(gateway.world.commands.calls).toEqual(['c:normal', 'c:rollback']);
  });

  it('runs a step with all that it holds', async () => {
    expect(await run({ flow: 'grouped', only: 'group' })).toMatchObject({ status: 'succeeded' });
    expect(gateway.world.commands.calls).toEqual(['in:normal']);
  });

  it('is started anew as the same step, with the same that is given', async () => {
    gateway.world.commands.scripts.set('m.b', () => done({ b: 1 }));
    const { taskId } = await run({ only: 'b', given: { a: { host: 'h1' } } });
    const answer = await gateway.post(`/v1/tasks/${taskId}:restart`, { reason: 'again' });
    const anew = await gateway.world.task(answer.json<{ taskId: string }>().taskId);
    await settle();
    expect(anew.plan.only).toEqual({ step: 'b', given: { a: { host: 'h1' } } });
    expect(gateway.world.commands.calls).toEqual(['b:normal', 'b:normal']);
  });

  it('is another request than one without it, for an idempotency key', async () => {
    await gateway.create({ flow: 'test-flow', only: 'a', idempotencyKey: 'k' });
    for (const body of [{}, { only: 'b' }, { only: 'a', given: {} }]) {
      const again = { flow: 'test-flow', idempotencyKey: 'k', ...body };
      expect((await gateway.post('/v1/tasks', again)).statusCode).toBe(422);
    }
    const same = { flow: 'test-flow', only: 'a', idempotencyKey: 'k' };
    expect((await gateway.post('/v1/tasks', same)).statusCode).toBe(200);
  });

  it.each([
    { body: { only: 'x' }, status: 422, pointer: '/only', hint: 'Its steps: a, b, c.' },
    {
      body: { only: 'in', flow: 'grouped' },
      status: 422,
      pointer: '/only',
      hint: 'Its steps: group.',
    },
    { body: { only: '' }, pointer: '/only' },
    { body: { given: {} }, status: 422, pointer: '/given' },
    {
      body: { only: 'b', given: { c: {} } },
      status: 422,
      pointer: '/given/c',
      hint: 'Steps before it: a.',
    },
    {
      body: { only: 'a', given: { 'b/': {} } },
      status: 422,
      pointer: '/given/b~1',
      hint: 'No step is before it.',
    },
    { body: { only: 'b', given: { a: 1 } }, pointer: '/given' },
    { body: { only: 'b', given: { a: null } }, pointer: '/given' },
    { body: { only: 'b', given: [] }, pointer: '/given' },
  ])('refuses $body', async ({ body, hint, pointer, status = 400 }) => {
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow', ...body });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({
      code: status === 400 ? 'INVALID_REQUEST' : 'INVALID_PARAMETERS',
      errors: [{ pointer, ...(hint !== undefined && { hint }) }],
    });
    expect(gateway.world.store.contents.tasks.size).toBe(0);
  });

  it('refuses more than it may be given', async () => {
    const given = { a: { long: 'x'.repeat(10_000) } };
    const answer = await gateway.post('/v1/tasks', { flow: 'test-flow', only: 'b', given });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/given' }] });
  });
});

const ask = { title: 'Go on?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
const signal = { signal: 'paid', timeoutMs: null, onTimeout: 'fail' } as const;
const each = { in: [1], as: 'item', concurrency: 1, successPercent: 100, parameters: null };
const asking = [{ name: 'ok', needs: [], approve: ask, rollback: null }];
const HELD = {
  approval: { approve: ask, rollback: null },
  signal: { wait: signal, rollback: null },
  pivot: { normal: action('m.b'), rollback: null, pivot: true },
  group: { group: asking, retry: NO_RETRY, timeoutMs: null },
  items: { foreach: { ...each, steps: null, flow: 'asks' } },
  child: { flow: { name: 'asks', version: null, parameters: null } },
  named: { flow: { name: '{% name %}', version: null, parameters: null } },
  dynamic: { dynamic: { steps: '{% steps %}' } },
} as const;

const pay = (): StepPlan => {
  return { name: 'pay', needs: [0], normal: action('m.pay'), rollback: null };
};
const beyond = Object.entries(HELD).map(([name, held]) => {
  return flow([{ name: 'held', needs: [], ...held }, pay()], { name });
});

describe('who may run one step by itself', () => {
  let callers: CallersOf;
  beforeEach(async () => {
    await gateway.close();
    const flows = [chain(['a', 'b']), flow(asking, { name: 'asks' }), ...beyond];
    gateway = await Gateway.open(flows, { asksForKeys: true });
    callers = new CallersOf(gateway);
  });

  /** The codes of a request by itself, and as an entry of a batch. */
  async function codes(body: object, role: Role): Promise<readonly (string | number)[]> {
    const headers = await callers.role(role);
    const one = await gateway.post('/v1/tasks', body, headers);
    const many = await gateway.post('/v1/tasks:batch', { tasks: [body] }, headers);
    const [entry] = many.json<{ results: { status: number; problem?: { code: string } }[] }>()
      .results;
    const code = one.json<{ code?: string }>().code ?? one.statusCode;
    return [code, entry?.problem?.code ?? entry?.status ?? 0];
  }

  it.each([
    ['starter', 'FORBIDDEN'],
    ['operator', 201],
    ['author', 201],
  ] as const)('a %s: %s', async (role, code) => {
    expect(await codes({ flow: 'test-flow', only: 'b' }, role)).toEqual([code, code]);
  });

  it.each(Object.keys(HELD))('an author alone behind %s', async (name) => {
    const body = { flow: name, only: 'pay' };
    for (const role of ['starter', 'operator'] as const) {
      expect(await codes(body, role)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    }
    expect(gateway.world.commands.calls).toEqual([]);
    expect(await codes(body, 'author')).toEqual([201, 201]);
  });

  it('and whoever starts such a task anew must be one who may', async () => {
    const author = await callers.role('author');
    const taskId = await gateway.create({ flow: 'approval', only: 'pay' }, author);
    await settle();
    const restart = { verb: 'restart', body: {} };
    for (const role of ['starter', 'operator'] as const) {
      const headers = await callers.role(role);
      expect(await alone(gateway, restart, { taskId, headers })).toBe('FORBIDDEN');
    }
    expect(await alone(gateway, restart, { taskId, headers: author })).toBe('done');
  });

  it.each([
    ['approval', { held: { by: 'boss' } }, '/given/held'],
    ['group', { held: { ok: { by: 'boss' } } }, '/given/held/ok'],
  ])('and nobody gives the output of an approval: %s', async (name, given, pointer) => {
    const headers = await callers.role('admin');
    const answer = await gateway.post('/v1/tasks', { flow: name, only: 'pay', given }, headers);
    expect(answer.json()).toMatchObject({ code: 'INVALID_PARAMETERS', errors: [{ pointer }] });
  });

  it.each(['***', { $secret: 'vault:kv/db#password' }, 'bks-sealed:v1.00000001.abc'])(
    'and nobody gives %j, which only stands for something',
    async (value) => {
      const headers = await callers.role('admin');
      const body = { flow: 'test-flow', only: 'b', given: { a: { pw: value } } };
      const answer = await gateway.post('/v1/tasks', body, headers);
      const errors = [{ pointer: '/given/a/pw' }];
      expect(answer.json()).toMatchObject({ code: 'INVALID_PARAMETERS', errors });
    },
  );
});
