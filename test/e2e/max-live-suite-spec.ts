import { expect } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { waitUntil } from '../servers/wait-until.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const MAX = 3;

const INPUT = { properties: { isBad: { type: 'boolean' } } };

const FLOWS = {
  /** Waits until it is told to go on. */
  bounded: {
    input: INPUT,
    maxLive: MAX,
    steps: [
      { name: 'go', wait: { signal: 'go' } },
      { name: 'end', if: '{% isBad = true %}', fail: { code: 'TOLD', message: 'told to fail' } },
    ],
  },
  /** Starts more child tasks than that. */
  fleet: {
    input: { properties: {} },
    steps: [{ name: 'all', foreach: { in: [1, 2, 3, 4, 5], as: 'n', flow: 'bounded' } }],
  },
};

interface Started {
  readonly taskId: string;
  readonly code?: string;
}

/** Backstep, with the requests that the tests make. */
class Desk {
  constructor(private readonly stage: FlowStage) {}

  start(key: string, parameters = {}) {
    const headers = { 'idempotency-key': key };
    const body = { flow: 'bounded', parameters };
    return this.stage.api.ask<Started>({ path: '/v1/tasks', body, headers });
  }

  /** Starts that come at once: the ids of the tasks, and the keys of those that were refused. */
  async crowd(name: string, count: number) {
    const keys = Array.from({ length: count }, (_, n) => `${name}-${n}`);
    const answers = await Promise.all(keys.map((key) => this.start(key)));
    for (const { body, headers, status } of answers) {
      if (status === 201) continue;
      expect([status, body.code]).toEqual([429, 'TOO_MANY_LIVE']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.taskId);
    const refused = keys.filter((_, n) => answers[n]?.status !== 201);
    return { made, refused };
  }

  /** The task ends; a task that waits is told by its step. */
  async finish(taskId: string): Promise<string> {
    await untilTask(this.stage.api, taskId, ({ steps }) => steps[0]?.state === 'waiting');
    expect((await this.stage.api.act(taskId, 'signal', { name: 'go' })).status).toBe(200);
    return (await untilTask(this.stage.api, taskId)).status;
  }

  async children(parent: string): Promise<readonly string[]> {
    const path = `/v1/tasks?parent=${parent}`;
    const { items } = await this.stage.api.get<{ items: readonly Started[] }>(path);
    return items.map(({ taskId }) => taskId);
  }
}

function tests(stage: FlowStage): void {
  const desk = new Desk(stage);

  stage.it('is kept in a crowd, and each end makes room for one', async () => {
    const { made, refused } = await desk.crowd('crowd', 40);
    expect([made.length, refused.length]).toEqual([MAX, 40 - MAX]);
    const [one = '', two = '', three = ''] = made;
    expect(await desk.finish(one)).toBe('succeeded');
    const next = await desk.crowd('next', 10);
    expect(next.made).toHaveLength(1);
    for (const id of [two, three, ...next.made]) await desk.finish(id);
    expect((await desk.crowd('last', 10)).made).toHaveLength(MAX);
  });

  stage.it('holds over a restart, repetitions find their tasks', async () => {
    const { items } = await stage.api.get<{ items: readonly Started[] }>(
      '/v1/tasks?status=running&flow=bounded',
    );
    for (const { taskId } of items) await desk.finish(taskId);
    const { made, refused } = await desk.crowd('kept', 5);
    await stage.restart();
    expect((await desk.start(refused[0]!)).status).toBe(429);
    const again = await Promise.all([0, 1, 2, 3, 4].map((n) => desk.start(`kept-${n}`)));
    const found = again.filter(({ status }) => status === 200).map(({ body }) => body.taskId);
    expect(found.toSorted()).toEqual(made.toSorted());
    for (const id of made) await desk.finish(id);
    expect((await desk.start(refused[0]!)).status).toBe(201);
  });

  stage.it('has room while a task rolls back only once that has ended', async () => {
    const { items } = await stage.api.get<{ items: readonly Started[] }>(
      '/v1/tasks?status=running&flow=bounded',
    );
    for (const { taskId } of items) await desk.finish(taskId);
    const { body } = await desk.start('bad', { isBad: true });
    const { made } = await desk.crowd('beside-bad', 5);
    expect(made).toHaveLength(MAX - 1);
    expect(await desk.finish(body.taskId)).toBe('rolled_back');
    expect((await desk.crowd('after-bad', 5)).made).toHaveLength(1);
  });

  stage.it('refuses no child task, and counts none', async () => {
    const parent = await stage.api.create('fleet', {});
    await waitUntil(
      async () => {
        if ((await desk.children(parent)).length < 5) throw new Error('there are fewer');
      },
      { what: 'the child tasks are not there', deadlineMs: 60_000 },
    );
    const ids = await desk.children(parent);
    expect((await desk.crowd('beside', 5)).made).toHaveLength(0);
    for (const id of ids) expect(await desk.finish(id)).toBe('succeeded');
    expect((await untilTask(stage.api, parent)).status).toBe('succeeded');
  });
}

/** A bound on live tasks. */
export const MAX_LIVE: FlowSuite = { name: 'a bound on live tasks', flows: FLOWS, tests };
