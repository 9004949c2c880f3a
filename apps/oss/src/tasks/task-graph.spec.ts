import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chain, done, fails, flow, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  const { steps } = chain(['a', 'b', 'c']);
  gateway = await Gateway.open([flow(steps)]);
  const { scripts } = gateway.world.commands;
  scripts.set('m.a', () => done({ host: 'from-a-command' }));
  scripts.set('m.b', () => fails());
});
afterAll(() => gateway.close());

it('shows the steps of a task as nodes and edges, and nothing that they were given', async () => {
  const parameters = { note: 'from-a-request' };
  const taskId = await gateway.create({ flow: 'test-flow', parameters });
  await settle();
  const url = `/v1/tasks/${taskId}/graph`;
  const answer = await gateway.ask({ url });
  const { edges, nodes } = answer.json();
  expect(edges).toEqual([
    { from: 'a', to: 'b', used: true },
    { from: 'b', to: 'c', used: false },
  ]);
  expect(nodes).toMatchObject([
    { id: 'a', in: null, state: 'succeeded', undo: { state: 'succeeded' } },
    { id: 'b', state: 'failed', attempts: 1 },
    { id: 'c', state: 'pending', attempts: 0 },
  ]);
  expect(answer.body).not.toMatch(/from-a-/);
  const whole = await gateway.ask({ url: `/v1/tasks/${taskId}` });
  const { etag } = answer.headers;
  expect(etag).toBe(whole.headers.etag);
  const again = await gateway.ask({ url, headers: { 'if-none-match': String(etag) } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

it('is of tasks that there are', async () => {
  const answer = await gateway.ask({ url: '/v1/tasks/nothing/graph' });
  expect(answer.json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
});
