import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chain, done, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

const FLOW = { ...chain(['a', 'b', 'c']), name: 'test-flow' };
const reason = 'because';
const ann = { 'x-backstep-actor': 'ann' };

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([
    FLOW,
    { ...FLOW, name: 'held', onFailure: { holdMs: null } },
    { ...FLOW, name: 'held-for-a-while', onFailure: { holdMs: 60_000 } },
  ]);
});
afterEach(() => gateway.close());

/** A task that is on hold because its second step failed. */
async function held(flow = 'held'): Promise<string> {
  gateway.world.commands.scripts.set('m.b', () => {
    throw new Error('no host');
  });
  const id = await gateway.create({ flow, parameters: { size: 1 } });
  await until(id, 7);
  gateway.world.commands.scripts.delete('m.b');
  return id;
}

async function until(id: string, status: number): Promise<void> {
  while ((await gateway.world.task(id)).status !== status) await settle();
}

async function show(id: string): Promise<object> {
  return (await gateway.ask({ url: `/v1/tasks/${id}` })).json() as object;
}

async function act(id: string, verb: string, body: object = {}): Promise<object> {
  return (await gateway.post(`/v1/tasks/${id}:${verb}`, { reason, ...body }, ann)).json() as object;
}

describe('a task on hold', () => {
  it('says why, and what failed', async () => {
    const id = await held();
    expect(await show(id)).toMatchObject({
      taskStatus: 7,
      status: 'on_hold',
      wakeAt: null,
      hold: { by: 'flow', reason: 'step b (m.b) failed: no host', until: null },
      lastError: { step: 'b', code: 'FAILED', message: 'no host' },
    });
  });

  it('tells a task that failed from one that was undone after it had succeeded', async () => {
    const undone = await gateway.create({ flow: 'test-flow', parameters: { size: 1 } });
    await until(undone, 0);
    expect(await show(undone)).toMatchObject({ turned: null });
    await act(undone, 'undo');
    await until(undone, 4);
    expect(await show(undone)).toMatchObject({
      turned: { why: 'requested', by: 'ann', reason: 'undone by ann: because' },
    });
    const failed = await held();
    expect(await show(failed)).toMatchObject({ turned: null });
    await act(failed, 'rollback');
    await until(failed, 4);
    expect(await show(failed)).toMatchObject({ turned: { why: 'requested' } });
    gateway.world.commands.scripts.set('m.b', () => {
      throw new Error('no host');
    });
    const alone = await gateway.create({ flow: 'test-flow', parameters: { size: 1 } });
    await until(alone, 4);
    expect(await show(alone)).toMatchObject({
      turned: { why: 'step_failed', by: null, reason: 'step b (m.b) failed: no host' },
    });
  });

  it('says when it rolls back by itself', async () => {
    const id = await held('held-for-a-while');
    expect(await show(id)).toMatchObject({ hold: { until: expect.any(Number) } });
  });

  it('is retried, with parameters that are recorded', async () => {
    const id = await held();
    expect(await act(id, 'retry', { parameters: { size: 2 } })).toMatchObject({ hold: null });
    await until(id, 0);
    expect(await show(id)).toMatchObject({ parameters: { size: 2 }, lastError: null });
    const { edits } = await gateway.world.task(id);
    expect(edits).toMatchObject([{ actor: 'ann', values: { size: 2 }, before: { size: 1 } }]);
  });

  it('goes on without the step, with the output that was given', async () => {
    const id = await held();
    await act(id, 'skip', { step: 'b', output: { host: 'h1' } });
    await until(id, 0);
    expect(await show(id)).toMatchObject({
      parameters: { size: 1, host: 'h1' },
      steps: [{}, { state: 'skipped', output: { host: 'h1' } }, { state: 'succeeded' }],
    });
  });

  it('takes no output that is too large, or no object', async () => {
    const id = await held();
    const output = { text: 'x'.repeat(300_000) };
    expect(await act(id, 'skip', { step: 'b', output })).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(await act(id, 'skip', { step: 'b', output: [1] })).toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  it('rolls back', async () => {
    const id = await held();
    await act(id, 'rollback');
    await until(id, 4);
  });
});

describe('a person', () => {
  it('has a task go back down to a step, where it waits', async () => {
    const id = await held();
    await act(id, 'skip', { step: 'b' });
    await until(id, 0);
    const refused = await act(id, 'rollback', { to: 'b' });
    expect(refused).toMatchObject({ code: 'ILLEGAL_ACTION' });
    gateway.world.commands.scripts.set('m.c', () => {
      throw new Error('no');
    });
    const other = await gateway.create({ flow: 'held' });
    await until(other, 7);
    expect(await act(other, 'rollback', { to: 'nowhere' })).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/to' }],
    });
    await act(other, 'rollback', { to: 'b' });
    await until(other, 7);
    expect(await show(other)).toMatchObject({
      hold: { by: 'ann', reason: 'rolled back to step b by ann: because', until: null },
      steps: [
        { rollback: { state: 'none' } },
        { rollback: { state: 'succeeded' } },
        { rollback: { state: 'succeeded' } },
      ],
    });
    gateway.world.commands.scripts.delete('m.c');
    await act(other, 'retry');
    await until(other, 0);
    expect(await show(other)).toMatchObject({ steps: [{ id: 'a' }, { id: 'b~2' }, { id: 'c~2' }] });
  });

  it('passes over a step that has not started', async () => {
    let release = (): void => {};
    gateway.world.commands.scripts.set('m.a', () => {
      return new Promise((resolve) => {
        release = () => resolve(done());
      });
    });
    const id = await gateway.create({ flow: 'test-flow' });
    await until(id, 2);
    expect(await act(id, 'skip', { step: 'b' })).toMatchObject({ status: 'running' });
    release();
    await until(id, 0);
    expect(await show(id)).toMatchObject({ steps: [{}, { state: 'skipped', attempts: 0 }, {}] });
  });

  it('undoes a task that succeeded', async () => {
    const id = await gateway.create({ flow: 'test-flow' });
    await until(id, 0);
    expect(await act(id, 'undo')).toMatchObject({ status: 'rolling_back' });
    await until(id, 4);
    expect(await act(id, 'undo')).toMatchObject({ code: 'ILLEGAL_ACTION' });
  });

  it('starts a task anew that has ended, with other parameters', async () => {
    const order = {
      flow: 'test-flow',
      parameters: { a: 1, b: 1 },
      labels: { team: 'x' },
      priority: 3,
    };
    const id = await gateway.create(order);
    await until(id, 0);
    const url = `/v1/tasks/${id}:restart`;
    const headers = { 'idempotency-key': '"k1"' };
    const body = { reason, parameters: { b: 2 } };
    const answer = await gateway.post(url, body, headers);
    expect(answer.statusCode).toBe(201);
    const { taskId } = answer.json() as { taskId: string };
    expect(answer.headers['location']).toBe(`/v1/tasks/${taskId}`);
    const anew = { restartOf: id, input: { a: 1, b: 2 }, labels: { team: 'x' }, priority: 3 };
    expect(answer.json()).toMatchObject({ taskId, ...anew });
    expect(await show(taskId)).toMatchObject(anew);
    const again = await gateway.post(url, body, headers);
    expect(again.statusCode).toBe(200);
    expect(again.json()).toMatchObject({ taskId, restartOf: id });
    expect(again.headers['etag']).toBe(`"${again.json().revision}"`);
  });

  it('starts no task anew that has moved, but knows a repetition again', async () => {
    const id = await gateway.create({ flow: 'test-flow', parameters: { size: 1 } });
    await until(id, 0);
    const url = `/v1/tasks/${id}:restart`;
    const stale = await gateway.post(url, { reason }, { 'if-match': '"1"' });
    expect(stale.json()).toMatchObject({ status: 412, code: 'REVISION_CHANGED' });
    const { revision } = (await show(id)) as { revision: number };
    const headers = { 'if-match': `"${revision}"`, 'idempotency-key': 'k' };
    const first = await gateway.post(url, { reason }, headers);
    await act(id, 'reset', { to: 'b' });
    expect(await gateway.post(url, { reason }, { 'if-match': '"1"' })).toMatchObject({
      statusCode: 412,
    });
    const again = await gateway.post(url, { reason }, headers);
    expect([again.statusCode, again.json()]).toMatchObject([200, { taskId: first.json().taskId }]);
  });

  it('starts no task anew that is under way', async () => {
    const id = await held();
    expect(await act(id, 'restart')).toMatchObject({
      code: 'ILLEGAL_ACTION',
      detail: 'Restart is legal once a task has ended; this one is on_hold.',
    });
  });
});
