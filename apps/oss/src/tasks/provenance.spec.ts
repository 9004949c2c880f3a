import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chain, done, fails, flow, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  const { steps } = chain(['a', 'b']);
  const more = { constants: { region: 'eu', cpu: 1 }, onFailure: { holdMs: null } } as const;
  gateway = await Gateway.open([flow(steps, more)]);
  const { scripts } = gateway.world.commands;
  scripts.set('m.a', () => done({ host: 'h1', cpu: 8 }));
  scripts.set('m.b', (_context, calls) => (calls === 0 ? fails() : done({ ready: true })));
});
afterAll(() => gateway.close());

it('tells every value of a parameter with its writer, the last one holds', async () => {
  const taskId = await gateway.create({ flow: 'test-flow', parameters: { cpu: 4 } });
  await settle();
  const retry = { reason: 'more', parameters: { cpu: 16 } };
  const headers = { 'x-backstep-actor': 'ann' };
  expect((await gateway.post(`/v1/tasks/${taskId}:retry`, retry, headers)).statusCode).toBe(200);
  await settle();
  const answer = await gateway.ask({ url: `/v1/tasks/${taskId}/provenance` });
  const at = expect.any(Number);
  const step = (name: string) => ({ kind: 'step', step: name, id: name });
  expect(answer.json()).toEqual({
    region: [{ value: 'eu', writer: { kind: 'constant' }, at }],
    cpu: [
      { value: 1, writer: { kind: 'constant' }, at },
      { value: 4, writer: { kind: 'request' }, at },
      { value: 8, writer: step('a'), at },
      { value: 16, writer: { kind: 'person', actor: 'ann' }, at },
    ],
    host: [{ value: 'h1', writer: step('a'), at }],
    ready: [{ value: true, writer: step('b'), at }],
  });
  const { parameters } = (await gateway.ask({ url: `/v1/tasks/${taskId}` })).json();
  expect(parameters).toEqual({ region: 'eu', cpu: 16, host: 'h1', ready: true });
});

it('is of tasks that there are', async () => {
  const answer = await gateway.ask({ url: '/v1/tasks/nothing/provenance' });
  expect(answer.json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
});
