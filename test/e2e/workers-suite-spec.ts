import { expect } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { Worker, type WorkItemView } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const reason = 'a test';

/** A step of a module that only workers serve, with its undo. */
function pair(module: string) {
  return {
    name: 'make',
    normal: { module, command: 'make', timeout: 300 },
    rollback: { module, command: 'undo_make', timeout: 300 },
  };
}

const FLOWS = {
  'work-pair': { steps: [pair('work-a'), { ...pair('work-b'), name: 'place' }] },
  'work-lost': { steps: [pair('work-c')] },
  'work-cancel': { steps: [pair('work-e')] },
  'work-known': { steps: [pair('work-f')] },
  'work-restart': { steps: [pair('work-g')] },
  'work-large': { steps: [pair('work-h')] },
  'work-drain': { steps: [pair('work-i')] },
  'work-log': { steps: [pair('work-j')] },
};

function forwardAndBack(stage: FlowStage): void {
  const fail = { code: 'NO_ROOM', message: 'no room', retryable: false };

  stage.it('do a flow forward and back, two of them', async () => {
    const one = await Worker.register(stage.api, 'work-a');
    const two = await Worker.register(stage.api, 'work-b');
    const taskId = await stage.api.create('work-pair');
    const [make] = await one.poll();
    expect(make).toMatchObject({ taskId, step: 'make', direction: 'normal', attempt: 1 });
    await one.report(make, 'complete', { output: { id: 'x-1' } });
    const [place] = await two.poll();
    expect(place).toMatchObject({ taskId, step: 'place', results: { make: { id: 'x-1' } } });
    expect(await two.report(place, 'fail', fail)).toMatchObject({ status: 'rolling_back' });
    const [undoPlace] = await two.poll();
    expect(undoPlace).toMatchObject({
      ...{ command: 'undo_make', direction: 'rollback' },
      ...{ forward: { state: 'failed', output: null }, forwardKey: place?.idempotencyKey },
    });
    await two.report(undoPlace, 'complete');
    const [undoMake] = await one.poll();
    expect(undoMake).toMatchObject({ forward: { state: 'succeeded', output: { id: 'x-1' } } });
    expect(await one.report(undoMake, 'complete')).toMatchObject({ status: 'rolled_back' });
    await repeat(one, undoMake, fail);
  });

  /** The same again is taken again, and another outcome is not. */
  async function repeat(worker: Worker, item: WorkItemView | undefined, other: object) {
    const again = await worker.send(item, 'complete', {});
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const differs = await worker.send(item, 'fail', other);
    expect(differs).toMatchObject({ status: 409, body: { code: 'OUTCOME_DIFFERS' } });
  }

  stage.it('fail a step for good whose output cannot be kept', async () => {
    const worker = await Worker.register(stage.api, 'work-h');
    for (const [output, code] of [
      ['{"output": [1]}', 'INVALID_OUTPUT'],
      ['{"output": {"a": {"__proto__": {"b": 1}}}}', 'INVALID_OUTPUT'],
      ['{"output": {"a": 1, "a": 2}}', 'INVALID_OUTPUT'],
      ['{"output": {"a": 1e999}}', 'INVALID_OUTPUT'],
      [JSON.stringify({ output: { text: 'x'.repeat(600_000) } }), 'OUTPUT_TOO_LARGE'],
    ] as const) {
      const taskId = await stage.api.create('work-large');
      const [item] = await worker.poll();
      const path = `/v1/work/${item?.claim}:complete`;
      const answer = await stage.api.ask({ path, body: output });
      expect(answer).toMatchObject({ status: 422, body: { code, errors: [{}] } });
      const [undo] = await worker.poll();
      expect(undo).toMatchObject({ taskId, direction: 'rollback', forward: { state: 'failed' } });
      await worker.report(undo, 'complete');
      await untilTask(stage.api, taskId);
    }
  });
}

function words(stage: FlowStage): void {
  stage.it('say how far they are, and write lines, with heartbeats and outcomes', async () => {
    const worker = await Worker.register(stage.api, 'work-j');
    const taskId = await stage.api.create('work-log');
    const [item] = await worker.poll();
    const log = ['one', { message: 'two', level: 'warn', agoMs: 5 }];
    const progress = { state: 'copying', percent: 40, message: 'half' };
    await worker.report(item, 'heartbeat', { log, progress });
    await waitUntil(
      async () => expect(await stage.api.task(taskId)).toMatchObject({ steps: [{ progress }] }),
      { what: 'the progress is kept', deadlineMs: 30_000 },
    );
    const long = Array.from({ length: 10 }, () => 'x'.repeat(8_000));
    const told = await worker.report(item, 'complete', { log: [...long, 'three'] });
    expect(told).toMatchObject({ status: 'succeeded', logTruncated: true });
    await waitUntil(
      async () => {
        const path = `/v1/tasks/${taskId}/logs`;
        const { items } = await stage.api.get<{ items: readonly object[] }>(path);
        expect(items.at(-1)).toMatchObject({ attempt: 1, step: 'make', message: 'three' });
      },
      { what: 'the lines are kept', deadlineMs: 30_000 },
    );
  });
}

function lostAnswers(stage: FlowStage): void {
  stage.it('get the items of a lost answer by the same poll again', async () => {
    const worker = await Worker.register(stage.api, 'work-c');
    const taskId = await stage.api.create('work-lost');
    const pollId = crypto.randomUUID();
    const [lost] = await worker.poll({ pollId });
    const [found] = await worker.poll({ pollId });
    expect(found).toMatchObject({ taskId, fencingToken: lost?.fencingToken, attempt: 1 });
    expect(await worker.report(found, 'complete')).toMatchObject({ status: 'succeeded' });
  });

  stage.it('that close the connection while they wait leave the item to others', async () => {
    const gone = await Worker.register(stage.api, 'work-c');
    const next = await Worker.register(stage.api, 'work-c');
    await closePoll(stage.api.url, { worker: gone.name, module: 'work-c', wait: '30s' });
    const taskId = await stage.api.create('work-lost');
    const [item] = await next.poll();
    expect(item).toMatchObject({ taskId, attempt: 1 });
    await next.report(item, 'complete');
  });

  stage.it('that die lose the claim when it ends, and another one has a second try', async () => {
    const dead = await Worker.register(stage.api, 'work-c');
    const next = await Worker.register(stage.api, 'work-c');
    const taskId = await stage.api.create('work-lost');
    const [lost] = await dead.poll({ lease: '10s' });
    expect(await dead.report(lost, 'heartbeat')).toMatchObject({ state: 'held' });
    const [item] = await next.poll();
    expect(item).toMatchObject({ taskId, attempt: 2 });
    const late = await dead.send(lost, 'complete', {});
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'LEASE_LOST', reason: 'superseded', recorded: true },
    });
    expect(await next.report(item, 'complete')).toMatchObject({ status: 'succeeded' });
  });
}

/** Sends a poll, and closes the connection at once. */
async function closePoll(url: string, body: object): Promise<void> {
  const closing = new AbortController();
  const sent = fetch(`${url}/v1/work:poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: closing.signal,
  });
  closing.abort();
  await expect(sent).rejects.toThrow();
}

function persons(stage: FlowStage): void {
  stage.it('are told of a cancel, and the undo waits for their word', async () => {
    const worker = await Worker.register(stage.api, 'work-e');
    const taskId = await stage.api.create('work-cancel');
    const [item] = await worker.poll();
    await worker.report(item, 'heartbeat');
    await stage.api.act(taskId, 'rollback', { reason });
    const beat = await worker.report(item, 'heartbeat');
    expect(beat).toMatchObject({ state: 'cancelled', stopWithinMs: expect.any(Number) });
    expect((await worker.poll({ wait: '0' })).length).toBe(0);
    await worker.report(item, 'release', { reason: 'told to stop' });
    const [undo] = await worker.poll();
    expect(undo).toMatchObject({ taskId, direction: 'rollback', forward: { state: 'unknown' } });
    expect(undo?.fencingToken).toBeGreaterThan(item?.fencingToken ?? 0);
    expect(await worker.report(undo, 'complete')).toMatchObject({ status: 'rolled_back' });
  });

  stage.it('drain when an operator says so, and get work again when told to', async () => {
    const worker = await Worker.register(stage.api, 'work-i');
    const waiting = worker.ask();
    const put = (state: string) => {
      return stage.api.ask({ method: 'PUT', path: worker.path, body: { state } });
    };
    expect((await put('draining')).status).toBe(200);
    expect(await waiting).toMatchObject({ items: [], drain: true });
    const taskId = await stage.api.create('work-drain');
    expect(await worker.ask()).toMatchObject({ items: [], drain: true });
    await waitUntil(
      async () => {
        const why = await stage.api.get<object>(`/v1/tasks/${taskId}/why`);
        expect(why).toMatchObject({ causes: [{ code: 'WORKERS_DRAINING' }] });
      },
      { what: 'why tells of the drain', deadlineMs: 30_000 },
    );
    await put('active');
    const [item] = await worker.poll();
    expect(item).toMatchObject({ taskId });
    await worker.report(item, 'complete');
  });

  stage.it('of a module make it served, and known once they have left', async () => {
    const worker = await Worker.register(stage.api, 'work-f');
    await stage.api.ask({ method: 'DELETE', path: worker.path });
    const taskId = await stage.api.create('work-known');
    const why = await stage.api.get<object>(`/v1/tasks/${taskId}/why`);
    expect(why).toMatchObject({ causes: [{ code: 'MODULE_NOT_SERVED' }] });
    const next = new Worker(stage.api, 'work-f');
    const [item] = await next.poll();
    expect(item).toMatchObject({ taskId, attempt: 1 });
    await next.report(item, 'complete');
  });
}

function gateways(stage: FlowStage): void {
  stage.it('report to a gateway that was killed and has started again', async () => {
    const before = await Worker.register(stage.api, 'work-g');
    const taskId = await stage.api.create('work-restart');
    const [item] = await before.poll({ lease: '1m' });
    await before.report(item, 'heartbeat');
    await stage.restart();
    const after = new Worker(stage.api, 'work-g');
    const report = { output: { id: 'x' } };
    expect(await after.report(item, 'complete', report)).toMatchObject({ status: 'succeeded' });
    const task = await stage.api.task(taskId);
    expect(task).toMatchObject({ steps: [{ attempts: 1, output: { id: 'x' } }] });
  });
}

function tests(stage: FlowStage): void {
  for (const part of [forwardAndBack, words, lostAnswers, persons, gateways]) part(stage);
}

/** Workers over HTTP. */
export const WORKERS: FlowSuite = { name: 'workers', flows: FLOWS, tests };
