import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { action, done, flow } from '#testing';
import { Gateway } from '../gateway-spec.js';

const SIZE = { properties: { cpu: { type: 'integer' } }, required: ['cpu'] };

/** A flow of one step. */
function one(name: string, command: string, parameters: object = {}) {
  const normal = action(command, { parameters: parameters as never });
  return flow([{ name: 'a', needs: [], normal, rollback: null }], { name });
}

const FLOWS = [
  one('sound', 'm.make', { cpu: 2 }),
  one('unknown', 'm.mak'),
  one('wrong', 'm.make', { cpu: 'two' }),
  one('away', 'elsewhere.make', { cpu: 'two' }),
  one('late', 'm.later'),
];

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open(FLOWS, { announced: true });
  const { schemas, scripts } = gateway.world.commands;
  scripts.set('m.make', () => done());
  schemas.set('m.make', SIZE);
  await gateway.world.engine.directory.tick();
  // Announcements that the gateway has read so far are old by then: it reads them again.
  await gateway.world.clock.advance(10_000);
});
afterEach(() => gateway.close());

const start = (name: string) => gateway.post('/v1/tasks', { flow: name });

describe('starting a task where executors have announced their commands', () => {
  it.each(['sound', 'away'])('takes the flow "%s"', async (name) => {
    expect((await start(name)).statusCode).toBe(201);
  });

  it.each([
    ['unknown', 'UNKNOWN_COMMAND', 'Step `a`, normal/command: Module `m` has no command `mak`.'],
    [
      'wrong',
      'WRONG_CONSTANT',
      'Step `a`, normal/parameters/cpu: `cpu` must be a whole number, but is text.',
    ],
  ])('refuses the flow "%s", and makes no task', async (name, code, message) => {
    const answer = await start(name);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'FLOW_CANNOT_RUN',
      detail: `A step of flow ${name} could never run. ${message}`,
      errors: [{ pointer: '/flow', code, message, hint: expect.any(String) }],
    });
    expect((await gateway.ask({ url: '/v1/tasks' })).json()).toMatchObject({ items: [] });
  });

  it('lists why a flow cannot be started', async () => {
    const { items } = (await gateway.ask({ url: '/v1/flows' })).json() as { items: object[] };
    expect(items).toContainEqual(
      expect.objectContaining({
        name: 'unknown',
        startable: false,
        obstacle: {
          code: 'FLOW_CANNOT_RUN',
          message: expect.stringContaining('Module `m` has no command `mak`.'),
        },
      }),
    );
    for (const name of ['sound', 'away']) {
      const sound = expect.objectContaining({ name, startable: true, obstacle: null });
      expect(items).toContainEqual(sound);
    }
  });

  it('takes the flow when an executor has come that has its command', async () => {
    expect((await start('late')).statusCode).toBe(422);
    gateway.world.commands.scripts.set('m.later', () => done());
    await gateway.world.engine.directory.tick();
    await gateway.world.clock.advance(1_000);
    expect((await start('late')).statusCode).toBe(201);
  });

  it('answers a repetition with its task, whatever became of the flow since', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await gateway.post('/v1/tasks', { flow: 'sound' }, headers);
    const { taskId } = first.json() as { taskId: string };
    gateway.world.commands.schemas.set('m.make', { properties: { cpu: { type: 'string' } } });
    await gateway.world.engine.directory.tick();
    await gateway.world.clock.advance(10_000);
    const again = await gateway.post('/v1/tasks', { flow: 'sound' }, headers);
    expect(again.statusCode).toBe(200);
    expect(again.json()).toMatchObject({ taskId });
  });
});

describe('checking a flow where executors have announced their commands', () => {
  const file = (command: string, parameters: object) =>
    JSON.stringify({ f: [{ normal: { module: 'm', command, parameters } }] });

  it.each([
    ['mak', {}, ['UNKNOWN_COMMAND', '/f/0/normal/command']],
    ['make', { cpu: 'two' }, ['WRONG_CONSTANT', '/f/0/normal/parameters/cpu']],
  ])('finds what is wrong with %s %j', async (command, parameters, [code, pointer]) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await gateway.post('/v1/flows:validate', file(command, parameters), headers);
    expect(answer.json()).toMatchObject({ valid: false, problems: [{ code, pointer }] });
  });

  it('stores no flow that could never run', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify([{ normal: { module: 'm', command: 'mak' } }]);
    const answer = await gateway.ask({ method: 'PUT', url: '/v1/flows/f', body, headers });
    expect(answer.json()).toMatchObject({
      code: 'INVALID_FLOW',
      errors: [{ code: 'UNKNOWN_COMMAND', pointer: '/0/normal/command' }],
    });
  });
});

it('shows what commands take', async () => {
  const { items } = (await gateway.ask({ url: '/v1/executors' })).json() as {
    items: readonly { module: string; commands: object[] }[];
  };
  const commands = items.find(({ module }) => module === 'm')?.commands;
  expect(commands).toContainEqual({ name: 'make', parameters: SIZE, output: null });
});
