import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { StepPlan } from '#core';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

const MOST = 100;
const wait: StepPlan = {
  name: 'wait',
  needs: [],
  wait: { signal: 'go', timeoutMs: null, onTimeout: 'fail' },
  rollback: null,
};

let gateway: Gateway;
let taskId: string;
beforeEach(async () => {
  const flow = { ...chain([]), name: 'waits', steps: [wait] };
  gateway = await Gateway.open([flow], { maxParameters: 256 * 1_024 });
  taskId = await gateway.create({ flow: 'waits' });
  await settle();
});
afterEach(() => gateway.close());

function send(body: object): ReturnType<Gateway['post']> {
  return gateway.post(`/v1/tasks/${taskId}:signal`, body);
}

async function fill(): Promise<void> {
  for (let count = 0; count < MOST; count += 1) {
    const answer = await send({ name: 'early', key: `k${count}` });
    expect(answer.statusCode).toBe(200);
  }
}

it('refuses a signal that finds no room, and says when to send it again', async () => {
  await fill();
  const answer = await send({ name: 'early' });
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '5']);
  expect(answer.json()).toMatchObject({ code: 'SIGNALS_FULL' });
});

it('counts the bytes of all signals that wait', async () => {
  const payload = { text: 'x'.repeat(4_000) };
  const codes: number[] = [];
  for (let count = 0; count < 17; count += 1) {
    codes.push((await send({ name: 'early', payload })).statusCode);
  }
  expect(codes).toEqual([...Array<number>(16).fill(200), 429]);
});

it('takes as much as parameters may have with a signal that a step waits for, else keeps less', async () => {
  const large = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  const early = await send({ name: 'early', payload: large(65_537) });
  expect([early.statusCode, early.json()]).toMatchObject([429, { code: 'SIGNALS_FULL' }]);
  expect((await send({ name: 'early', payload: large(65_536) })).statusCode).toBe(200);
  const more = await send({ name: 'go', payload: large(256 * 1_024 + 1) });
  expect(more.json()).toMatchObject({ status: 413, errors: [{ pointer: '/payload' }] });
  expect((await send({ name: 'go', payload: large(100_000) })).statusCode).toBe(200);
});

it('has room for a signal that a step waits for, and for one that was sent before', async () => {
  await fill();
  const again = await send({ name: 'early', key: `k${MOST - 1}` });
  expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect((await send({ name: 'go' })).statusCode).toBe(200);
});

it('forgets the key of a signal that found no room', async () => {
  await fill();
  const late = { name: 'early', key: 'late' };
  expect((await send(late)).statusCode).toBe(429);
  expect((await send(late)).statusCode).toBe(429);
});

it('tells of the end of the task rather than of room', async () => {
  await fill();
  await gateway.post(`/v1/tasks/${taskId}:terminate`, { reason: 'enough' });
  const answer = await send({ name: 'early' });
  expect(answer.json()).toMatchObject({ status: 409, code: 'ILLEGAL_ACTION' });
});
