import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { action, chain, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
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
    expect(waiting.json().steps[0]).toMatchObject({ state: 'waiting' });
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
    [{ output: {} }, 400, '/token'],
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
        await store.keys.addKey(record);
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
