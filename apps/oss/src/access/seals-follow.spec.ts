import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, JsonObject, StepPlan } from '#core';
import { action, flow, PlainSecrets } from '#testing';
import { GuardedGateway } from './guarded-gateway-spec.js';

const PW = 'a-long-password';
const SECRETS = { pw: PW, child: 'inner' };
const INPUT: JsonObject = {
  type: 'object',
  properties: { pw: { type: 'string', secret: true }, child: { type: 'string' } },
};

const called = (command: string, parameters: JsonObject): StepPlan => ({
  name: 'do',
  needs: [],
  normal: action(`m.${command}`, { parameters }),
  rollback: null,
});
const GIVEN = { given: '{% pw %}' };
const child = (name: string): StepPlan => {
  return { name: 'c', needs: [], flow: { name, version: null, parameters: { pw: '{% pw %}' } } };
};
const named = (name: string, ...steps: StepPlan[]): FlowDefinition => {
  return flow(steps, { name, input: INPUT });
};

let desk: GuardedGateway;
let admin: Record<string, string>;
beforeEach(async () => {
  desk = await GuardedGateway.open([], { secrets: new PlainSecrets() });
  admin = await desk.key('admin');
  await put(named('inner', called('use', GIVEN)));
  await put(named('outer', child('inner')));
  await put(named('loose', child('{% child %}')));
});
afterEach(() => desk.gateway.close());

/** Stores a flow as its author does, a moment later. */
async function put(definition: FlowDefinition): Promise<void> {
  const { clock, store } = desk.gateway.world;
  await clock.advance(10);
  const hash = JSON.stringify(definition);
  await store.definitions.putFlow({ definition, hash, now: clock.now() });
  await desk.gateway.options.flows.refresh();
  await clock.advance(10);
}

const post = (url: string, body: unknown) => desk.as(admin).send('POST', url, body);

async function ended(name: string): Promise<string> {
  const { body } = await post('/v1/tasks', { flow: name, parameters: SECRETS });
  await desk.rest();
  const taskId = String(body['taskId']);
  expect((await desk.gateway.world.task(taskId)).outcome).toBe('succeeded');
  return taskId;
}

/** The secrets that commands of a name were given. */
function givenTo(command: string): readonly unknown[] {
  const { contexts } = desk.gateway.world.commands;
  return contexts.filter((one) => one.command === command).map((one) => one.parameters['given']);
}

const THIEF = called('steal', GIVEN);
const again = { reason: 'again' };

describe('a restart hands secrets on', () => {
  it('to the same steps, whatever else of the flow has changed', async () => {
    const before = await ended('inner');
    await put({ ...named('inner', called('use', GIVEN)), description: 'now told' });
    expect((await post(`/v1/tasks/${before}:restart`, again)).status).toBe(201);
    await desk.rest();
    expect(givenTo('use')).toEqual([PW, PW]);
  });

  it.each([
    ['steps', named('inner', THIEF)],
    ['constants', { ...named('inner', called('use', GIVEN)), constants: { to: 'thief' } }],
  ])('to no other %s: it names what must be sent again', async (_what, changed) => {
    const before = await ended('inner');
    await put(changed);
    const refused = await post(`/v1/tasks/${before}:restart`, again);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'SECRET_NEEDED', errors: [{ pointer: '/parameters/pw' }] },
    });
    const anew = { ...again, parameters: { pw: 'another-password' } };
    expect((await post(`/v1/tasks/${before}:restart`, anew)).status).toBe(201);
    await desk.rest();
    expect([...givenTo('use'), ...givenTo('steal')]).toEqual([PW, 'another-password']);
  });

  it('to no other steps when an operation restarts many', async () => {
    await ended('inner');
    await put(named('inner', THIEF));
    const { body } = await post('/v1/operations', { ...again, action: 'restart', q: 'flow:inner' });
    await desk.rest();
    const url = `/v1/operations/${String(body['operationId'])}`;
    const told = await desk.as(admin).send('GET', url);
    expect(told.body).toMatchObject({ done: 0, refused: 1 });
    expect(JSON.stringify(told.body)).toContain('SECRET_NEEDED');
    expect(givenTo('steal')).toEqual([]);
  });

  it.each(['outer', 'loose'])('to no other steps of a child task of %s', async (name) => {
    const before = await ended(name);
    await post(`/v1/tasks/${before}:restart`, again);
    await desk.rest();
    expect(givenTo('use')).toEqual([PW, PW]);
    await put(named('inner', THIEF));
    const { body } = await post(`/v1/tasks/${before}:restart`, again);
    await desk.rest();
    const { turned } = await desk.gateway.world.task(String(body['taskId']));
    expect(turned?.cause).toMatchObject({ code: 'NOT_ALLOWED', step: 'c' });
    expect(givenTo('steal')).toEqual([]);
    await post(`/v1/tasks/${before}:restart`, { ...again, parameters: SECRETS });
    await desk.rest();
    expect(givenTo('steal')).toEqual([PW]);
  });
});

it('a task under way gives its secrets to the newest version of a child flow', async () => {
  await put(named('outer', child('inner')));
  await put(named('inner', called('use', { ...GIVEN, more: 1 })));
  await ended('outer');
  expect(givenTo('use')).toEqual([PW]);
});

describe('a reset of a task that has ended', () => {
  it.each(['outer', 'loose'])(
    'of flow %s gives its secrets to no changed child flow',
    async (name) => {
      const before = await ended(name);
      const url = `/v1/tasks/${before}:reset`;
      await put(named('inner', THIEF));
      const refused = await post(url, { ...again, to: 'c' });
      expect(refused).toMatchObject({
        status: 422,
        body: { code: 'SECRET_NEEDED', errors: [{ pointer: '/parameters/pw' }] },
      });
      const many = { ...again, action: 'reset', to: 'c', q: `flow:${name}` };
      await post('/v1/operations', many);
      await desk.rest();
      expect(givenTo('steal')).toEqual([]);
      const sent = { ...again, to: 'c', parameters: { pw: 'another-password' } };
      expect((await post(url, sent)).status).toBe(200);
    },
  );

  it('goes on with the secrets where no child flow has changed', async () => {
    const before = await ended('outer');
    expect((await post(`/v1/tasks/${before}:reset`, { ...again, to: 'c' })).status).toBe(200);
  });
});

describe('a schedule', () => {
  const order = { flow: 'inner', parameters: { pw: PW }, every: '1h' };
  const store = () => desk.as(admin).send('PUT', '/v1/schedules/s', order);

  it('gives its secrets to the steps that they were stored for, until they are sent again', async () => {
    expect((await store()).status).toBe(201);
    expect(await desk.startMoment('s', 'first')).toEqual({ kind: 'started' });
    await put(named('inner', THIEF));
    const why = await desk.startMoment('s', 'second');
    expect(why).toMatchObject({ kind: 'failed', code: 'SECRET_NEEDED' });
    expect(JSON.stringify(why)).toContain('/parameters/pw');
    expect(await post('/v1/schedules/s:trigger', {})).toMatchObject({
      status: 422,
      body: { code: 'SECRET_NEEDED' },
    });
    await desk.rest();
    expect(givenTo('steal')).toEqual([]);
    expect(await store()).toMatchObject({ status: 200, body: { generation: 1 } });
    expect(await desk.startMoment('s', 'third')).toEqual({ kind: 'started' });
    await desk.rest();
    expect(givenTo('steal')).toEqual([PW]);
  });
});
