import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { Api, effectsOf } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type Deployment, DEPLOYMENTS, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

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

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`locks in a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`locks-${kind}`);
    let backstep: Deployment;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = { flows: await writeFlows(folder, FLOWS) };
        backstep = trial.use(await startDeployment(kind, { folder, settings }));
        api = new Api(backstep.url);
      }),
    );
    afterAll(() => trial.close());

    async function lock(name: string): Promise<Lock | undefined> {
      const { items } = await api.get<{ items: readonly Lock[] }>('/v1/locks');
      return items.find((one) => one.name === name);
    }

    const idsOf = (places: readonly Place[] = []): readonly string[] =>
      places.map(({ taskId }) => taskId);

    async function go(taskId: string): Promise<void> {
      const { status } = await api.act(taskId, 'signal', { name: 'go' });
      expect(status).toBe(200);
    }

    /** Starts a task that waits in its step `go`, or for its lock. */
    async function start(flow: string, parameters: object): Promise<string> {
      const taskId = await api.create(flow, parameters);
      await untilTask(api, taskId, ({ steps }) => {
        return ['waiting', 'pending', 'running'].includes(steps[1]?.state ?? '');
      });
      return taskId;
    }

    const holds = (taskId: string) =>
      untilTask(api, taskId, ({ steps }) => steps[1]?.state === 'waiting');

    async function effects(taskId: string): Promise<readonly string[]> {
      const all = await effectsOf(new Api(backstep.effectsUrl), taskId);
      return all.map(({ applied, name, undone }) => `${name} ${applied} ${undone}`).toSorted();
    }

    trial.it('let as many tasks go as they have slots, in the order of their coming', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 4; n += 1) ids.push(await start('upgrade', { fleet: 'a' }));
      const [one = '', two = '', three = '', four = ''] = ids;
      await Promise.all([holds(one), holds(two)]);
      const held = await lock('fleet:a');
      expect(held).toMatchObject({ slots: 2 });
      expect([idsOf(held?.holders), idsOf(held?.waiting)]).toEqual([
        [one, two],
        [three, four],
      ]);
      expect(await effects(three)).toEqual([]);
      const { causes } = await api.get<Explained>(`/v1/tasks/${four}/why`);
      expect(causes[0]).toMatchObject({ code: 'WAITS_FOR_LOCK' });
      expect(causes[0]?.message).toContain(one);
      await go(two);
      await untilTask(api, two);
      await holds(three);
      expect(idsOf((await lock('fleet:a'))?.waiting)).toEqual([four]);
      for (const id of [one, three]) await go(id);
      await holds(four);
      await go(four);
      expect((await untilTask(api, four)).status).toBe('succeeded');
      await untilTask(api, one);
      await untilTask(api, three);
      expect(await lock('fleet:a')).toBeUndefined();
    });

    trial.it('are held over the way back, and free at its end', async () => {
      const one = await start('upgrade', { fleet: 'b', isBad: true });
      await holds(one);
      await go(one);
      expect((await untilTask(api, one)).status).toBe('rolled_back');
      expect(await effects(one)).toEqual(['made 1 1']);
      const events = (await api.events(one)).map(({ kind: what }) => what);
      expect(events.indexOf('locks_taken')).toBeLessThan(events.indexOf('started'));
      await untilFree('fleet:b');
    });

    async function untilFree(name: string): Promise<void> {
      const free = await api.run('upgrade', { fleet: name.split(':')[1] }, '0');
      await holds(free.taskId);
      expect(idsOf((await lock(name))?.holders)).toEqual([free.taskId]);
      await go(free.taskId);
      await untilTask(api, free.taskId);
    }

    trial.it('of a step are held while it runs, and free while its task goes on', async () => {
      const one = await api.create('patch', { fleet: 'c' });
      await untilTask(api, one, ({ steps }) => steps[1]?.state === 'running');
      const two = await api.create('patch', { fleet: 'c' });
      await untilTask(api, two, ({ steps }) => steps[0]?.state === 'succeeded');
      expect((await api.task(two)).steps[1]?.state).toBe('pending');
      await go(one);
      await untilTask(api, two, ({ steps }) => steps[1]?.state === 'running');
      expect((await untilTask(api, one)).status).toBe('succeeded');
      await go(two);
      expect((await untilTask(api, two)).status).toBe('succeeded');
      expect(await effects(two)).toEqual(['after 1 0', 'before 1 0', 'inner 1 0']);
    });

    if (kind !== 'standalone') return;
    trial.it('outlive the process, with those who hold them and those who wait', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) ids.push(await start('upgrade', { fleet: 'd' }));
      await holds(ids[1]!);
      await backstep.processes[0]?.restart();
      api = new Api(backstep.url);
      const held = await lock('fleet:d');
      expect([...idsOf(held?.holders), ...idsOf(held?.waiting)]).toEqual(ids);
      for (const id of ids) await go(id);
      for (const id of ids) expect((await untilTask(api, id)).status).toBe('succeeded');
      expect(await lock('fleet:d')).toBeUndefined();
    });
  });
});
