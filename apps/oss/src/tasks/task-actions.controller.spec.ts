import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])]);
});
afterEach(() => gateway.close());

const reason = 'because';

/** A task whose first command never ends. */
async function running(): Promise<string> {
  gateway.world.commands.scripts.set('m.a', (context) => {
    return new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  });
  const id = await gateway.create({ flow: 'test-flow' });
  await settle();
  return id;
}

/** A task that waits for a person. */
async function stuck(): Promise<string> {
  gateway.failRollback();
  const id = await gateway.create({ flow: 'test-flow' });
  while ((await gateway.world.task(id)).status !== 5) await settle();
  return id;
}

async function statusOf(id: string): Promise<number> {
  return (await gateway.world.task(id)).status;
}

describe("a person's action", () => {
  it('rolls a running task back, with actor and reason in the journal', async () => {
    const id = await running();
    const headers = { 'x-backstep-actor': 'ann' };
    const answer = await gateway.post(`/v1/tasks/${id}:rollback`, { reason }, headers);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ taskId: id, status: 'rolling_back', steps: [{}, {}] });
    const { journal, revision } = await gateway.world.task(id);
    expect(answer.headers['etag']).toMatch(/^"\d+"$/);
    expect(revision).toBeGreaterThan(1);
    expect(journal.entries().find(({ kind }) => kind === 'rollback_requested')).toMatchObject({
      actor: 'ann',
      message: reason,
    });
    while ((await statusOf(id)) !== 4) await settle();
  });

  it('terminates a task for good', async () => {
    const id = await running();
    const answer = await gateway.post(`/v1/tasks/${id}:terminate`, { reason });
    expect(answer.json()).toMatchObject({ taskStatus: 6, status: 'terminated' });
    expect(answer.json().steps[0]).toMatchObject({ state: 'terminated', code: 8 });
  });

  it('retries failed rollbacks', async () => {
    const id = await stuck();
    gateway.world.commands.scripts.delete('m.undo_a');
    const answer = await gateway.post(`/v1/tasks/${id}:retry`, { reason });
    expect(answer.statusCode).toBe(200);
    while ((await statusOf(id)) !== 4) await settle();
  });

  it('skips a step that was undone by hand', async () => {
    const id = await stuck();
    const answer = await gateway.post(`/v1/tasks/${id}:skip`, { step: 'a', reason });
    expect(answer.statusCode).toBe(200);
    expect(await statusOf(id)).toBe(4);
  });

  it('pauses a task and lets it go on', async () => {
    const id = await running();
    const headers = { 'x-backstep-actor': 'ann' };
    const paused = await gateway.post(`/v1/tasks/${id}:pause`, { reason }, headers);
    expect(paused.json()).toMatchObject({
      taskStatus: 8,
      status: 'paused',
      paused: { by: 'ann', reason, since: expect.any(Number) },
    });
    const answer = await gateway.post(`/v1/tasks/${id}:resume`, { reason });
    expect(answer.json()).toMatchObject({ status: 'running', paused: null });
  });

  it('resets a task to a step, with parameters that are recorded', async () => {
    const id = await gateway.create({ flow: 'test-flow', parameters: { size: 1 } });
    await settle();
    const body = { to: 'b', reason, parameters: { size: 2 } };
    const answer = await gateway.post(`/v1/tasks/${id}:reset`, body, { 'x-backstep-actor': 'ann' });
    expect(answer.statusCode).toBe(200);
    while ((await statusOf(id)) !== 0) await settle();
    const shown = (await gateway.ask({ url: `/v1/tasks/${id}` })).json() as object;
    expect(shown).toMatchObject({
      input: { size: 1 },
      parameters: { size: 2 },
      steps: [
        { id: 'a', generation: 1 },
        { id: 'b~2', generation: 2 },
      ],
    });
    const { edits, journal } = await gateway.world.task(id);
    expect(edits).toMatchObject([{ actor: 'ann', values: { size: 2 }, before: { size: 1 } }]);
    expect(journal.entries().filter(({ actor }) => actor === 'ann')).toMatchObject([
      { kind: 'reset_requested', step: 'b', message: reason },
    ]);
    const again = journal
      .entries()
      .filter(({ run }) => run === 'b~2')
      .map(({ kind }) => kind);
    expect(again).toEqual(['started', 'succeeded']);
  });

  it('that resets is refused for a step that is not there, and for too much', async () => {
    const id = await gateway.create({ flow: 'test-flow' });
    await settle();
    const url = `/v1/tasks/${id}:reset`;
    expect((await gateway.post(url, { to: 'c', reason })).json()).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/to' }],
    });
    const parameters = { text: 'x'.repeat(300_000) };
    expect((await gateway.post(url, { to: 'a', reason, parameters })).json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect((await gateway.post(url, { to: 'a', reason, parameters: [] })).statusCode).toBe(400);
    expect((await gateway.post(url, { reason })).statusCode).toBe(400);
  });

  it('is refused with the states in which it is legal', async () => {
    const id = await gateway.create({ flow: 'test-flow' });
    await settle();
    const answer = await gateway.post(`/v1/tasks/${id}:retry`, { reason });
    expect(answer.statusCode).toBe(409);
    const { code, detail } = answer.json() as { code: string; detail: string };
    expect(code).toBe('ILLEGAL_ACTION');
    expect(detail).toBe(
      'Retry is legal while a task is rollback_failed, on_hold; this one is succeeded.',
    );
    const back = await gateway.post(`/v1/tasks/${id}:rollback`, { reason });
    expect(back.json<{ detail: string }>().detail).toBe(
      'Rollback is legal while a task is not_started, running, on_hold, paused;' +
        ' this one is succeeded.',
    );
  });

  it('is refused for the eleventh time in a minute, and the task keeps its beginning', async () => {
    const id = await stuck();
    const url = `/v1/tasks/${id}:retry`;
    const statuses: number[] = [];
    for (let nth = 0; nth < 40; nth++) {
      const answer = await gateway.post(url, { reason }, { 'idempotency-key': `k${nth % 20}` });
      statuses.push(answer.statusCode);
      while ((await statusOf(id)) !== 5) await settle();
    }
    const [ten, no] = [Array<number>(10).fill(200), Array<number>(10).fill(429)];
    expect(statuses).toEqual([...ten, ...no, ...ten, ...no]);
    const refused = await gateway.post(url, { reason });
    expect(refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(refused.headers['retry-after']).toBe('60');
    const { journal } = await gateway.world.task(id);
    expect(journal.at(0)).toMatchObject({ kind: 'created' });
    const sent = journal.entries().filter(({ kind }) => kind === 'alert_started');
    expect(sent).toHaveLength(1);
    await gateway.world.clock.advance(60_000);
    expect((await gateway.post(url, { reason })).statusCode).toBe(200);
  });

  it('takes only a step that the task has', async () => {
    const id = await stuck();
    const answer = await gateway.post(`/v1/tasks/${id}:skip`, { step: 'z', reason });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/step' }],
    });
  });

  it('is refused when the task has moved', async () => {
    const id = await running();
    const headers = { 'if-match': '"99"' };
    const answer = await gateway.post(`/v1/tasks/${id}:rollback`, { reason }, headers);
    expect(answer.statusCode).toBe(412);
    expect(answer.json()).toMatchObject({ code: 'REVISION_CHANGED' });
    const { revision } = await gateway.world.task(id);
    const old = await gateway.post(
      `/v1/tasks/${id}:rollback`,
      { reason },
      { 'if-match': '"98", "99"' },
    );
    expect(old.statusCode).toBe(412);
    const fresh = { 'if-match': `"99", W/"${revision}"` };
    const again = await gateway.post(`/v1/tasks/${id}:rollback`, { reason }, fresh);
    expect(again.statusCode).toBe(200);
  });

  it('acts once under its key, also with the revision of the first time', async () => {
    const id = await running();
    const { revision } = await gateway.world.task(id);
    const headers = { 'idempotency-key': 'k', 'if-match': `"${revision}"` };
    const url = `/v1/tasks/${id}:terminate`;
    const first = await gateway.post(url, { reason }, headers);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const second = await gateway.post(url, { reason }, headers);
    expect(second.statusCode).toBe(200);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    const { journal } = await gateway.world.task(id);
    expect(journal.entries().filter(({ kind }) => kind === 'terminate_requested')).toHaveLength(1);
  });

  it('does not take the key of another action', async () => {
    const id = await running();
    const headers = { 'idempotency-key': 'k' };
    await gateway.post(`/v1/tasks/${id}:rollback`, { reason }, headers);
    const answer = await gateway.post(`/v1/tasks/${id}:terminate`, { reason }, headers);
    expect(answer.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('does not take the key of another request for the same action', async () => {
    const id = await running();
    const headers = { 'idempotency-key': 'k' };
    const skip = (body: object) => gateway.post(`/v1/tasks/${id}:skip`, body, headers);
    expect((await skip({ reason, step: 'b', output: { x: 1 } })).statusCode).toBe(200);
    const other = await skip({ reason, step: 'b', output: { x: 2 } });
    expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const again = await skip({ reason: 'in other words', step: 'b', output: { x: 1 } });
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });

  it.each(['""', '"null"', '"x"', 'W/""', '"x", "y"'])('acts on no task at %s', async (tags) => {
    const id = await running();
    const answer = await gateway.post(`/v1/tasks/${id}:pause`, { reason }, { 'if-match': tags });
    expect([answer.statusCode, answer.json().code]).toEqual([412, 'REVISION_CHANGED']);
    expect(await statusOf(id)).toBe(2);
  });

  it.each([
    ['rollback', {}, '/reason'],
    ['rollback', { reason: '' }, '/reason'],
    ['rollback', { reason: ' \n ' }, '/reason'],
    ['terminate', { reason: 'x'.repeat(1_001) }, '/reason'],
    ['terminate', { reason: 7 }, '/reason'],
    ['retry', { reason, force: true }, '/force'],
    ['retry', [], ''],
    ['skip', { reason }, '/step'],
    ['skip', { reason, step: '\u0000' }, '/step'],
  ])('refuses :%s with %.40j', async (verb, body, pointer) => {
    const id = await running();
    const answer = await gateway.post(`/v1/tasks/${id}:${verb}`, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
    expect(await statusOf(id)).toBe(2);
  });

  it('needs a body, a task and a tag that can be read', async () => {
    const id = await running();
    const url = `/v1/tasks/${id}:rollback`;
    expect((await gateway.post(url)).statusCode).toBe(400);
    expect((await gateway.post('/v1/tasks/nope:rollback', { reason })).statusCode).toBe(404);
    for (const tags of ['x', '"1", *', '"1",']) {
      const odd = await gateway.post(url, { reason }, { 'if-match': tags });
      expect(odd.json()).toMatchObject({ errors: [{ pointer: '/If-Match' }] });
    }
  });
});
