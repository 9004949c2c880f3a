import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { isSealed } from '#core/secrets';
import type { ProblemBody } from '#http-server';
import { chain, done, fails, flow, PlainSecrets, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

const INPUT = {
  type: 'object',
  properties: { pw: { type: 'string', minLength: 12, secret: true }, size: { type: 'integer' } },
};
const VAULT = flow(chain(['a']).steps, { name: 'vault', input: INPUT });
const HELD = flow(chain(['b']).steps, { name: 'held', input: INPUT, onFailure: { holdMs: null } });

const PW = 'a-long-password';
const OTHER = 'another-password';

let gateway: Gateway;
afterEach(() => gateway.close());

async function open(secrets?: PlainSecrets): Promise<void> {
  gateway = await Gateway.open([VAULT, HELD], secrets === undefined ? {} : { secrets });
}

function start(parameters: JsonObject, more: object = {}) {
  return gateway.post('/v1/tasks', { flow: 'vault', parameters, ...more });
}

/** Code of a refusal, and the pointers of its mistakes. */
function refusalOf(answer: { json(): unknown }): readonly [string, ...string[]] {
  const { code, errors = [] } = answer.json() as ProblemBody;
  return [code, ...errors.map(({ pointer }) => pointer)];
}

async function tasksOf(): Promise<string> {
  const list = await gateway.ask({ url: '/v1/tasks?full=true' });
  return list.body;
}

describe('a request with secrets', () => {
  it('is refused while there is no key, and makes nothing', async () => {
    await open();
    const answer = await start({ pw: PW });
    expect(answer.statusCode).toBe(503);
    expect(refusalOf(answer)).toEqual(['SECRET_KEY_MISSING']);
    const order = { flow: 'vault', parameters: { pw: PW }, every: '1h' };
    const put = await gateway.ask({ method: 'PUT', url: '/v1/schedules/s', body: order });
    expect(refusalOf(put)).toEqual(['SECRET_KEY_MISSING']);
    expect(JSON.parse(await tasksOf())).toMatchObject({ items: [] });
  });

  it('is checked in clear, kept sealed, and shown masked', async () => {
    await open(new PlainSecrets());
    expect(refusalOf(await start({ pw: 'short' }))).toEqual([
      'INVALID_PARAMETERS',
      '/parameters/pw',
    ]);
    const { taskId } = (await start({ pw: PW, size: 3 })).json() as { taskId: string };
    await settle();
    const { parameters } = (await gateway.world.task(taskId)).plan;
    expect(isSealed(parameters['pw'])).toBe(true);
    expect(parameters['size']).toBe(3);
    for (const view of ['', '/graph', '/provenance', '/rollback-plan', '/events']) {
      const { body } = await gateway.ask({ url: `/v1/tasks/${taskId}${view}` });
      expect(body).not.toMatch(/bks-sealed|a-long-password/);
    }
    expect(await tasksOf()).toContain('"pw":"***"');
  });

  it('sends no mask, and nothing that is sealed', async () => {
    await open(new PlainSecrets());
    const sealed = new PlainSecrets().seal(PW, 'another-task');
    const refused = ['INVALID_PARAMETERS', '/parameters/pw'];
    expect(refusalOf(await start({ pw: sealed }))).toEqual(refused);
    const masked = { flow: 'vault', parameters: { pw: '***' }, every: '1h' };
    const put = await gateway.ask({ method: 'PUT', url: '/v1/schedules/s', body: masked });
    expect(refusalOf(put)[0]).toBe('INVALID_PARAMETERS');
  });

  it('brings none that is sealed for the very task, whichever way it comes', async () => {
    await open(new PlainSecrets());
    gateway.world.commands.scripts.set('m.b', () => fails());
    const body = { flow: 'held', parameters: { pw: PW } };
    const { taskId } = (await gateway.post('/v1/tasks', body)).json() as { taskId: string };
    await settle();
    const sealed = (await gateway.world.task(taskId)).plan.parameters['pw'] as string;
    const [own, reason] = [`/v1/tasks/${taskId}`, 'why'];
    const parameters = { size: [sealed] };
    const ways: readonly (readonly [string, object, string])[] = [
      ['/v1/tasks', { flow: 'vault', parameters }, '/parameters/size/0'],
      ['/v1/tasks', { ...body, labels: { team: sealed } }, '/labels/team'],
      ['/v1/tasks', { ...body, only: 'b', given: { a: { x: sealed } } }, '/given/a/x'],
      ['/v1/tasks:batch', [{ flow: 'vault', parameters }], '/0/parameters/size/0'],
      [`${own}:retry`, { reason, parameters }, '/parameters/size/0'],
      [`${own}:reset`, { step: 'b', reason, parameters }, '/parameters/size/0'],
      [`${own}:restart`, { reason, parameters }, '/parameters/size/0'],
      [`${own}:skip`, { step: 'b', reason, output: { x: sealed } }, '/output/x'],
      [`${own}:signal`, { name: 'go', data: { x: `a ${sealed}` } }, '/data/x'],
      [`${own}:approve`, { step: 'b', comment: sealed }, '/comment'],
      [`${own}:complete`, { run: 'b#1', token: 't', output: { x: sealed } }, '/output/x'],
      [`${own}:annotate`, { text: sealed }, '/text'],
      [
        '/v1/operations',
        { action: 'retry', q: 'flow:held', reason, parameters },
        '/parameters/size/0',
      ],
      ['/v1/flows/vault:plan', { parameters }, '/parameters/size/0'],
    ];
    for (const [url, sent, pointer] of ways) {
      const answer = await gateway.post(url, sent);
      const isData = /\/(given|output|parameters)\//.test(pointer);
      const code = isData ? 'INVALID_PARAMETERS' : 'INVALID_REQUEST';
      expect([url, ...refusalOf(answer)]).toEqual([url, code, pointer]);
    }
    const order = { flow: 'vault', parameters, every: '1h' };
    const put = await gateway.ask({ method: 'PUT', url: '/v1/schedules/s', body: order });
    expect(refusalOf(put)).toEqual(['INVALID_PARAMETERS', '/parameters/size/0']);
  });

  it('is known again under its key, also once another key seals', async () => {
    await open(new PlainSecrets(['00000001']));
    const key = { idempotencyKey: 'once' };
    expect((await start({ pw: PW }, key)).statusCode).toBe(201);
    expect((await start({ pw: PW }, key)).statusCode).toBe(200);
    expect(refusalOf(await start({ pw: OTHER }, key))).toEqual(['IDEMPOTENCY_KEY_REUSED']);
    Object.assign(gateway.options, { secrets: new PlainSecrets(['00000002', '00000001']) });
    expect((await start({ pw: PW }, key)).statusCode).toBe(200);
  });
});

describe('a request with references to secrets', () => {
  const REFERENCE = { $secret: 'vault:kv/db#password' };

  it('needs no key, and is kept and shown as it is', async () => {
    await open();
    const { taskId } = (await start({ pw: REFERENCE, size: 3 })).json() as { taskId: string };
    await settle();
    const { hasSecrets, plan } = await gateway.world.task(taskId);
    expect(plan.parameters).toEqual({ pw: REFERENCE, size: 3 });
    expect(plan.references).toEqual([REFERENCE.$secret]);
    expect(hasSecrets).toBe(true);
    expect(await tasksOf()).toContain(JSON.stringify({ pw: REFERENCE, size: 3 }));
    const planned = await gateway.post('/v1/flows/vault:plan', { parameters: { pw: REFERENCE } });
    expect(planned.json()).toMatchObject({ items: [{ parameters: { pw: REFERENCE } }] });
  });

  it.each([
    [{ pw: { $secret: 'no form' } }, '/parameters/pw'],
    [{ pw: { $secret: 'file:../etc/passwd' } }, '/parameters/pw'],
    [{ pw: { $secret: 7 } }, '/parameters/pw'],
    [{ pw: { ...REFERENCE, more: 1 } }, '/parameters/pw'],
    [{ pw: { inner: [REFERENCE] } }, '/parameters/pw/inner/0'],
    [{ size: REFERENCE }, '/parameters/size'],
    [{ size: { 'a/b': [{ $secret: 'x' }] } }, '/parameters/size/a~1b/0'],
  ])('is refused where it is none, or none is taken: %j', async (parameters, pointer) => {
    await open(new PlainSecrets());
    expect(refusalOf(await start(parameters))).toEqual(['INVALID_PARAMETERS', pointer]);
  });

  it('is known again under its key, with a key for secrets and without', async () => {
    for (const secrets of [undefined, new PlainSecrets()]) {
      await open(secrets);
      const key = { idempotencyKey: 'once' };
      const other = { $secret: 'vault:kv/db#other' };
      expect((await start({ pw: REFERENCE }, key)).statusCode).toBe(201);
      expect((await start({ pw: REFERENCE }, key)).statusCode).toBe(200);
      expect(refusalOf(await start({ pw: other }, key))).toEqual(['IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('goes on to a task that is made anew, to schedules and operations', async () => {
    await open();
    const first = (await start({ pw: REFERENCE })).json() as { taskId: string };
    await settle();
    const again = await gateway.post(`/v1/tasks/${first.taskId}:restart`, { reason: 'why' });
    const { taskId } = again.json() as { taskId: string };
    expect((await gateway.world.task(taskId)).plan.references).toEqual([REFERENCE.$secret]);
    const order = { flow: 'vault', parameters: { pw: REFERENCE }, every: '1h' };
    const put = { method: 'PUT', url: '/v1/schedules/s', body: order };
    expect((await gateway.ask(put)).json()).toMatchObject({ parameters: { pw: REFERENCE } });
    expect((await gateway.ask(put)).json()).toMatchObject({ generation: 1 });
    const body = { action: 'restart', q: 'flow:vault', reason: 'why' };
    const operation = await gateway.post('/v1/operations', {
      ...body,
      parameters: { pw: REFERENCE },
    });
    expect(operation.json()).toMatchObject({ details: { parameters: { pw: REFERENCE } } });
  });
});

describe('a person who changes a secret', () => {
  it('sends the secret, and sees neither the old one nor the new one', async () => {
    await open(new PlainSecrets());
    gateway.world.commands.scripts.set('m.b', (_, calls) => fails(`no ${calls}`));
    const id = await gateway.create({ flow: 'held', parameters: { pw: PW } });
    await settle();
    const retry = (parameters: object) => {
      return gateway.post(`/v1/tasks/${id}:retry`, { reason: 'why', parameters });
    };
    const masked = await retry({ pw: '***' });
    expect(refusalOf(masked)).toEqual(['INVALID_PARAMETERS', '/parameters/pw']);
    const done = await retry({ pw: OTHER });
    await settle();
    expect(done.statusCode).toBe(200);
    expect(gateway.world.commands.contexts.at(-1)?.parameters).toEqual({ pw: OTHER });
    const whole = JSON.stringify(await gateway.world.task(id));
    expect(whole).not.toMatch(/a-long-password|another-password/);
    const { body } = await gateway.ask({ url: `/v1/tasks/${id}/provenance` });
    expect(JSON.parse(body)).toMatchObject({ pw: [{ value: '***' }, { value: '***' }] });
  });
});

describe('what keeps parameters for tasks to come', () => {
  it('seals those of a schedule, and knows the same ones again', async () => {
    await open(new PlainSecrets());
    const put = async (pw: string) => {
      const body = { flow: 'vault', parameters: { pw }, every: '1h' };
      const answer = await gateway.ask({ method: 'PUT', url: '/v1/schedules/s', body });
      return answer.json() as { generation: number; parameters: object };
    };
    expect(await put(PW)).toMatchObject({ generation: 1, parameters: { pw: '***' } });
    expect((await put(PW)).generation).toBe(1);
    expect((await put(OTHER)).generation).toBe(2);
    const stored = await gateway.options.schedules.get('s');
    expect(isSealed(stored?.order.parameters['pw'])).toBe(true);
    await gateway.post('/v1/schedules/s:trigger', {});
    await settle();
    expect(gateway.world.commands.contexts[0]?.parameters).toEqual({ pw: OTHER });
  });

  it('seals those of an operation that any flow calls secret', async () => {
    await open(new PlainSecrets());
    const order = { action: 'restart', q: 'flow:vault', reason: 'why' };
    const body = { ...order, parameters: { pw: PW, size: 4 } };
    const headers = { 'idempotency-key': 'op' };
    const ask = { method: 'POST', url: '/v1/operations', headers };
    const answer = await gateway.ask({ ...ask, body });
    const { details, operationId } = answer.json() as { details: object; operationId: string };
    expect(details).toEqual({ parameters: { pw: '***', size: 4 } });
    const stored = await gateway.options.operations.get(operationId);
    expect(JSON.stringify(stored)).not.toContain(PW);
    const again = await gateway.ask({ ...ask, body });
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = { ...order, parameters: { pw: OTHER, size: 4 } };
    expect(refusalOf(await gateway.ask({ ...ask, body: other }))).toEqual([
      'IDEMPOTENCY_KEY_REUSED',
    ]);
  });

  it('seals those of an operation that a flow calls secret of which nothing starts', async () => {
    gateway = await Gateway.open([], { secrets: new PlainSecrets() });
    const { definitions } = gateway.world.store;
    await definitions.putFlow({ definition: VAULT, hash: 'one', now: 1_000 });
    await definitions.retireFlow('vault');
    const order = { action: 'restart', q: 'flow:vault', reason: 'why', parameters: { pw: PW } };
    const answer = await gateway.post('/v1/operations', order);
    expect(answer.json()).toMatchObject({ details: { parameters: { pw: '***' } } });
  });

  it('seals those of an operation that the version of its task calls secret', async () => {
    const rule = { text: 'retry on * needs two', actions: ['retry'], flows: ['*'] } as const;
    gateway = await Gateway.open([HELD], { secrets: new PlainSecrets(), approvals: [rule] });
    gateway.world.commands.scripts.set('m.b', () => fails());
    const taskId = await gateway.create({ flow: 'held', parameters: { pw: PW } });
    await settle();
    await gateway.world.store.saveFlow({ ...HELD, input: null }, 'next', 2_000);
    gateway.versions = await gateway.world.store.listFlows();
    const body = { reason: 'why', parameters: { pw: OTHER } };
    const answer = await gateway.post(`/v1/tasks/${taskId}:retry`, body);
    expect(answer.json()).toMatchObject({ details: { parameters: { pw: '***' } } });
  });

  it('seals those of an operation that a command gave its task', async () => {
    const rule = { text: 'retry on * needs two', actions: ['retry'], flows: ['*'] } as const;
    const held = flow(chain(['a', 'b']).steps, { onFailure: { holdMs: null } });
    gateway = await Gateway.open([held], { secrets: new PlainSecrets(), approvals: [rule] });
    const { scripts, secrets } = gateway.world.commands;
    secrets.set('m.a', ['token']);
    scripts.set('m.a', () => done({ token: PW, id: 1 })).set('m.b', () => fails());
    const taskId = await gateway.create({ flow: 'test-flow' });
    await settle();
    const body = { reason: 'why', parameters: { token: OTHER, id: 2 } };
    const answer = await gateway.post(`/v1/tasks/${taskId}:retry`, body);
    expect(answer.json()).toMatchObject({ details: { parameters: { token: '***', id: 2 } } });
  });

  it('seals what an operation gives in the place of a command', async () => {
    await open(new PlainSecrets());
    const body = { action: 'skip', q: 'flow:vault', reason: 'why', step: 'a' };
    const ask = { method: 'POST', url: '/v1/operations' };
    const answer = await gateway.ask({ ...ask, body: { ...body, output: { token: PW } } });
    const { details, operationId } = answer.json() as { details: object; operationId: string };
    expect(details).toEqual({ step: 'a', output: '***' });
    const stored = await gateway.options.operations.get(operationId);
    expect(JSON.stringify(stored)).not.toContain(PW);
  });

  it('shows a plan of a flow without them', async () => {
    await open(new PlainSecrets());
    const answer = await gateway.post('/v1/flows/vault:plan', { parameters: { pw: PW } });
    expect(answer.json()).toMatchObject({ items: [{ parameters: { pw: '***' } }] });
  });
});
