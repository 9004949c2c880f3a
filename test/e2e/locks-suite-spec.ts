import { expect } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { effectsOf } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name }, retry: 3 },
});

const INPUT = {
  required: ['fleet'],
  properties: { fleet: { type: 'string' }, isBad: { type: 'boolean' } },
};

const FLOWS = {
  /** Holds a lock from its first step to its end, and waits in between. */
  upgrade: {
    input: INPUT,
    constants: { isBad: false },
    locks: [{ name: "{% 'fleet:' & fleet %}", slots: 2 }],
    steps: [
      effect('made'),
      { name: 'go', wait: { signal: 'go' } },
      { name: 'end', if: '{% isBad %}', fail: { code: 'TOLD', message: 'told to fail' } },
    ],
  },
  /** Holds a lock while one of its steps runs. */
  patch: {
    input: INPUT,
    steps: [
      effect('before'),
      {
        name: 'alone',
        locks: [{ name: "{% 'patch:' & fleet %}" }],
        group: [effect('inner'), { name: 'go', wait: { signal: 'go' } }],
      },
      effect('after'),
    ],
  },
};

interface Place {
  readonly taskId: string;
}

interface Lock {
  readonly name: string;
  readonly slots: number;
  readonly holders: readonly Place[];
  readonly waiting: readonly Place[];
}

interface Explained {
  readonly causes: readonly { readonly code: string; readonly message: string }[];
}

function idsOf(places: readonly Place[] = []): readonly string[] {
  return places.map(({ taskId }) => taskId);
}

/** Backstep, with the requests that the tests make. */
class Desk {
  constructor(private readonly stage: FlowStage) {}

  async lock(name: string): Promise<Lock | undefined> {
    const { items } = await this.stage.api.get<{ items: readonly Lock[] }>('/v1/locks');
    return items.find((one) => one.name === name);
  }

  /** A task lets go of its locks right after it has ended. */
  async untilFree(name: string): Promise<void> {
    while ((await this.lock(name)) !== undefined);
  }

  async go(taskId: string): Promise<void> {
    const { status } = await this.stage.api.act(taskId, 'signal', { name: 'go' });
    expect(status).toBe(200);
  }

  /** Starts a task that waits in its step `go`, or for its lock. */
  async start(flow: string, parameters: object): Promise<string> {
    const taskId = await this.stage.api.create(flow, parameters);
    await untilTask(this.stage.api, taskId, ({ steps }) => {
      return ['waiting', 'pending', 'running'].includes(steps[1]?.state ?? '');
    });
    return taskId;
  }

  /** Resolves when the task has its place in the line of a lock. */
  async untilInLine(name: string, taskId: string): Promise<void> {
    const look = async (): Promise<void> => {
      const { holders = [], waiting = [] } = (await this.lock(name)) ?? {};
      if (!idsOf([...holders, ...waiting]).includes(taskId)) throw new Error(`${taskId} is not`);
    };
    await waitUntil(look, { what: `${taskId} is not in line for ${name}`, deadlineMs: 90_000 });
  }

  async holds(taskId: string): Promise<void> {
    await untilTask(this.stage.api, taskId, ({ steps }) => steps[1]?.state === 'waiting');
  }

  async effects(taskId: string): Promise<readonly string[]> {
    const all = await effectsOf(this.stage.effectsApi, taskId);
    return all.map(({ applied, name, undone }) => `${name} ${applied} ${undone}`).toSorted();
  }
}

function tests(stage: FlowStage): void {
  const desk = new Desk(stage);

  stage.it('let as many tasks go as they have slots, in the order of their coming', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      ids.push(await desk.start('upgrade', { fleet: 'a' }));
      await desk.untilInLine('fleet:a', ids[n]!);
    }
    const [one = '', two = '', three = '', four = ''] = ids;
    await Promise.all([desk.holds(one), desk.holds(two)]);
    const held = await desk.lock('fleet:a');
    expect(held).toMatchObject({ slots: 2 });
    expect([idsOf(held?.holders), idsOf(held?.waiting)]).toEqual([
      [one, two],
      [three, four],
    ]);
    expect(await desk.effects(three)).toEqual([]);
    const { causes } = await stage.api.get<Explained>(`/v1/tasks/${four}/why`);
    expect(causes[0]).toMatchObject({ code: 'WAITS_FOR_LOCK' });
    expect(causes[0]?.message).toContain(one);
    await desk.go(two);
    await untilTask(stage.api, two);
    await desk.holds(three);
    expect(idsOf((await desk.lock('fleet:a'))?.waiting)).toEqual([four]);
    for (const id of [one, three]) await desk.go(id);
    await desk.holds(four);
    await desk.go(four);
    expect((await untilTask(stage.api, four)).status).toBe('succeeded');
    await untilTask(stage.api, one);
    await untilTask(stage.api, three);
    await desk.untilFree('fleet:a');
  });

  stage.it('are held over the way back, and free at its end', async () => {
    const one = await desk.start('upgrade', { fleet: 'b', isBad: true });
    await desk.holds(one);
    await desk.go(one);
    expect((await untilTask(stage.api, one)).status).toBe('rolled_back');
    expect(await desk.effects(one)).toEqual(['made 1 1']);
    const events = (await stage.api.events(one)).map(({ kind: what }) => what);
    expect(events.indexOf('locks_taken')).toBeLessThan(events.indexOf('started'));
    await desk.untilFree('fleet:b');
  });

  stage.it('of a step are held while it runs, and free while its task goes on', async () => {
    const one = await stage.api.create('patch', { fleet: 'c' });
    await untilTask(stage.api, one, ({ steps }) => steps[1]?.state === 'running');
    const two = await stage.api.create('patch', { fleet: 'c' });
    await untilTask(stage.api, two, ({ steps }) => steps[0]?.state === 'succeeded');
    expect((await stage.api.task(two)).steps[1]?.state).toBe('pending');
    await desk.go(one);
    await untilTask(stage.api, two, ({ steps }) => steps[1]?.state === 'running');
    expect((await untilTask(stage.api, one)).status).toBe('succeeded');
    await desk.go(two);
    expect((await untilTask(stage.api, two)).status).toBe('succeeded');
    expect(await desk.effects(two)).toEqual(['after 1 0', 'before 1 0', 'inner 1 0']);
  });

  if (stage.kind !== 'standalone') return;
  stage.it('outlive the process, with those who hold them and those who wait', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await desk.start('upgrade', { fleet: 'd' }));
    await desk.holds(ids[1]!);
    await stage.restart();
    const held = await desk.lock('fleet:d');
    expect([...idsOf(held?.holders), ...idsOf(held?.waiting)]).toEqual(ids);
    for (const id of ids) await desk.go(id);
    for (const id of ids) expect((await untilTask(stage.api, id)).status).toBe('succeeded');
    await desk.untilFree('fleet:d');
  });
}

/** Locks. */
export const LOCKS: FlowSuite = { name: 'locks', flows: FLOWS, tests };
