import { expect } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { type Api, effectsOf, type TaskView } from '../load/index.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name }, retry: 3 },
});

const failure = { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } };

const FLOWS = {
  'upgrade-host': {
    input: { properties: { host: {} } },
    output: { upgraded: '{% host %}' },
    steps: [effect('upgrade')],
  },
  /** Child tasks of both kinds; `isBad` fails the last step, `badHost` one of the items. */
  'upgrade-fleet': {
    input: {
      required: ['hosts'],
      properties: { hosts: { type: 'array' }, isBad: { type: 'boolean' }, badHost: {} },
    },
    constants: { isBad: false, badHost: 'none', region: 'eu' },
    output: { names: '{% $steps.each.results.output.host %}' },
    steps: [
      effect('before'),
      {
        name: 'each',
        foreach: {
          in: '{% hosts %}',
          as: 'host',
          concurrency: 3,
          steps: [
            effect('drain'),
            { name: 'bad', if: '{% host = badHost %}', normal: failure },
            { name: 'note', set: { host: '{% host & "@" & region & $index %}' } },
          ],
        },
      },
      { name: 'one', flow: { name: 'upgrade-host', parameters: { host: '{% hosts[0] %}' } } },
      {
        name: 'all',
        foreach: {
          in: '{% hosts %}',
          as: 'item',
          flow: 'upgrade-host',
          parameters: { host: '{% item %}' },
        },
      },
      { name: 'end', if: '{% isBad %}', fail: { code: 'TOLD', message: 'told to fail' } },
    ],
  },
  /** Succeeds with some bad hosts. */
  'upgrade-most': {
    input: {
      required: ['hosts', 'bad'],
      properties: { hosts: { type: 'array' }, bad: { type: 'array' } },
    },
    steps: [
      {
        name: 'each',
        foreach: {
          in: '{% hosts %}',
          as: 'host',
          concurrency: 3,
          successPercent: 50,
          steps: [effect('drain'), { name: 'check', if: '{% host in bad %}', normal: failure }],
        },
      },
      effect('after'),
    ],
  },
  /** Waits for a person when hosts are bad. */
  'upgrade-held': {
    input: {
      required: ['hosts', 'bad'],
      properties: { hosts: { type: 'array' }, bad: { type: 'array' } },
    },
    onFailure: 'hold',
    output: { names: '{% $steps.each.results.output.host %}' },
    steps: [
      effect('before'),
      {
        name: 'each',
        foreach: {
          in: '{% hosts %}',
          as: 'host',
          concurrency: 3,
          steps: [
            effect('drain'),
            { name: 'check', if: '{% host in bad %}', normal: failure },
            { name: 'note', set: { host: '{% host & "@" & $index %}' } },
          ],
        },
      },
    ],
  },
  failing: {
    input: {},
    failureFlow: 'report',
    steps: [effect('work'), { name: 'end', fail: { code: 'TOLD', message: 'told to fail' } }],
  },
  report: { input: {}, output: '{% $input %}', steps: [effect('report')] },
};

interface Listed {
  readonly items: readonly { readonly taskId: string; readonly status: string }[];
}

/** The task that runs the failure flow of a task, once both have ended. */
async function reportOn(api: Api, taskId: string): Promise<TaskView> {
  const failed = await untilTask(
    api,
    taskId,
    (task) => (task.failureFlow?.taskId ?? null) !== null,
  );
  return untilTask(api, failed.failureFlow?.taskId ?? '');
}

interface ChildCounts {
  readonly succeeded: number;
}

function childrenIn(steps: TaskView['steps']): ChildCounts {
  return (steps[1] as unknown as { readonly children: ChildCounts }).children;
}

const HOSTS = Array.from({ length: 12 }, (_, n) => `host-${n}`);

function tests(stage: FlowStage): void {
  async function childrenOf(taskId: string): Promise<Listed['items']> {
    return (await stage.api.get<Listed>(`/v1/tasks?parent=${taskId}&limit=200`)).items;
  }

  /** How often each effect of a task's child tasks was made and undone, sorted. */
  async function effects(taskId: string): Promise<readonly string[]> {
    const effectsApi = stage.effectsApi;
    const found = await Promise.all(
      (await childrenOf(taskId)).map((child) => effectsOf(effectsApi, child.taskId)),
    );
    const all = [...(await effectsOf(effectsApi, taskId)), ...found.flat()];
    return all.map(({ applied, name, undone }) => `${name} ${applied} ${undone}`).toSorted();
  }

  const each = (word: string, count: number): readonly string[] => Array(count).fill(word);

  stage.it('do their work once, and are undone once by a person afterwards', async () => {
    const task = await stage.api.run('upgrade-fleet', { hosts: HOSTS });
    expect(task).toMatchObject({
      status: 'succeeded',
      output: { names: HOSTS.map((host, n) => `${host}@eu${n}`) },
    });
    expect(task.steps[1]).toMatchObject({
      children: { total: 12, started: 12, succeeded: 12, failed: 0, active: 0 },
    });
    expect(task.steps[2]?.output).toMatchObject({
      status: 'succeeded',
      output: { upgraded: 'host-0' },
    });
    expect(await effects(task.taskId)).toEqual([
      'before 1 0',
      ...each('drain 1 0', 12),
      ...each('upgrade 1 0', 13),
    ]);
    await stage.api.act(task.taskId, 'undo', { reason: 'not needed' });
    expect((await untilTask(stage.api, task.taskId)).status).toBe('rolled_back');
    expect(await effects(task.taskId)).toEqual([
      'before 1 1',
      ...each('drain 1 1', 12),
      ...each('upgrade 1 1', 13),
    ]);
  });

  stage.it('go back by themselves when one of them, or what follows them, fails', async () => {
    const [one, other] = await Promise.all([
      stage.api.run('upgrade-fleet', { hosts: HOSTS, badHost: 'host-7' }),
      stage.api.run('upgrade-fleet', { hosts: HOSTS, isBad: true }),
    ]);
    expect(one).toMatchObject({
      status: 'rolled_back',
      lastError: { step: 'each', code: 'CHILDREN_FAILED' },
    });
    expect(await effects(one.taskId)).toEqual(['before 1 1', ...each('drain 1 1', 12)]);
    expect(other).toMatchObject({ status: 'rolled_back', lastError: { code: 'TOLD' } });
    expect((await effects(other.taskId)).every((line) => line.endsWith(' 1 1'))).toBe(true);
  });

  const held = (taskId: string): Promise<TaskView> => {
    return untilTask(stage.api, taskId, ({ status }) => status === 'on_hold');
  };

  stage.it('are begun anew by a retry: one that failed, then the others that did', async () => {
    const bad = ['host-3', 'host-7', 'host-9'];
    const { taskId } = await stage.api.run('upgrade-held', { hosts: HOSTS, bad }, '0');
    expect((await held(taskId)).steps[1]).toMatchObject({
      children: { total: 12, started: 12, succeeded: 9, failed: 3, active: 0 },
    });
    const failed = (await childrenOf(taskId)).filter(({ status }) => status === 'rolled_back');
    const [one] = failed;
    const edit = { reason: 'the hosts are back', parameters: { bad: [] } };
    await stage.api.act(taskId, 'retry', { ...edit, children: { id: one?.taskId } });
    const { steps } = await untilTask(stage.api, taskId, ({ status, steps }) => {
      return status === 'on_hold' && childrenIn(steps).succeeded === 10;
    });
    expect(childrenIn(steps)).toMatchObject({ total: 12, started: 12, failed: 2 });
    await stage.api.act(taskId, 'retry', { reason: 'it works' });
    expect(await untilTask(stage.api, taskId)).toMatchObject({
      status: 'succeeded',
      output: { names: HOSTS.map((host, n) => `${host}@${n}`) },
    });
    const drains = [...each('drain 1 0', 12), ...each('drain 1 1', 3)];
    expect(await effects(taskId)).toEqual(['before 1 0', ...drains]);
    await stage.api.act(taskId, 'undo', { reason: 'not needed' });
    expect((await untilTask(stage.api, taskId)).status).toBe('rolled_back');
    expect(await effects(taskId)).toEqual(['before 1 1', ...each('drain 1 1', 15)]);
  });

  stage.it(
    'are begun anew by a reset: those that failed, or one that is undone first',
    async () => {
      const bad = ['host-3', 'host-7'];
      const { taskId } = await stage.api.run('upgrade-most', { hosts: HOSTS, bad });
      const drains = [...each('drain 1 0', 10), ...each('drain 1 1', 2)];
      expect(await effects(taskId)).toEqual(['after 1 0', ...drains]);
      const order = { to: 'each', reason: 'the hosts are back', parameters: { bad: [] } };
      await stage.api.act(taskId, 'reset', { ...order, children: 'failed' });
      expect((await untilTask(stage.api, taskId)).steps).toMatchObject([
        { id: 'each', children: { total: 12, succeeded: 12, failed: 0 } },
        { id: 'after~2' },
      ]);
      const again = [...each('drain 1 0', 12), ...each('drain 1 1', 2)];
      expect(await effects(taskId)).toEqual(['after 1 0', 'after 1 1', ...again]);
      const done = (await childrenOf(taskId)).find(({ status }) => status === 'succeeded');
      const one = { id: done?.taskId };
      await stage.api.act(taskId, 'reset', { to: 'each', reason: 'one more', children: one });
      expect(await untilTask(stage.api, taskId)).toMatchObject({ status: 'succeeded' });
      await stage.api.act(taskId, 'undo', { reason: 'not needed' });
      expect((await untilTask(stage.api, taskId)).status).toBe('rolled_back');
      expect(await effects(taskId)).toEqual([...each('after 1 1', 3), ...each('drain 1 1', 15)]);
    },
  );

  stage.it('are all begun anew by a retry that says so, once they are undone', async () => {
    const { taskId } = await stage.api.run(
      'upgrade-held',
      { hosts: HOSTS, bad: HOSTS.slice(3, 5) },
      '0',
    );
    await held(taskId);
    const order = { reason: 'from the start', parameters: { bad: [] }, children: 'all' };
    await stage.api.act(taskId, 'retry', order);
    const task = await untilTask(stage.api, taskId);
    expect(task).toMatchObject({ status: 'succeeded' });
    expect(task.steps[1]).toMatchObject({ id: 'each~2', children: { total: 12, succeeded: 12 } });
    const drains = [...each('drain 1 0', 12), ...each('drain 1 1', 12)];
    expect(await effects(taskId)).toEqual(['before 1 0', ...drains]);
  });

  stage.it('of a failure flow are started once, and told what failed', async () => {
    const { taskId } = await stage.api.run('failing', {});
    const report = await reportOn(stage.api, taskId);
    const told = { taskId, flow: 'failing', status: 'rolled_back', step: 'end', code: 'TOLD' };
    expect(report).toMatchObject({
      status: 'succeeded',
      parent: { taskId, step: null, index: 0 },
      input: { ...told, message: expect.stringContaining('told to fail') },
    });
    expect(await effects(taskId)).toEqual(['report 1 0', 'work 1 1']);
  });

  if (stage.kind !== 'standalone') return;
  stage.it('of failure flows outlive the process, each started once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await stage.api.run('failing', {}, '0')).taskId),
    );
    // Some have ended by then, some have not, and of some the failure flow is under way.
    await stage.restart();
    for (const taskId of ids) {
      await reportOn(stage.api, taskId);
      expect(await effects(taskId)).toEqual(['report 1 0', 'work 1 1']);
    }
  });

  stage.it('outlive the process, whichever way they go', async () => {
    const hosts = Array.from({ length: 60 }, (_, n) => n);
    const { taskId } = await stage.api.run('upgrade-fleet', { hosts }, '0');
    await untilTask(stage.api, taskId, ({ steps }) => steps[1]?.state === 'waiting');
    await stage.restart();
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
    expect(await effects(taskId)).toEqual([
      'before 1 0',
      ...each('drain 1 0', 60),
      ...each('upgrade 1 0', 61),
    ]);
    await stage.api.act(taskId, 'undo', { reason: 'not needed' });
    await stage.restart();
    expect((await untilTask(stage.api, taskId)).status).toBe('rolled_back');
    expect((await effects(taskId)).every((line) => line.endsWith(' 1 1'))).toBe(true);
  });
}

/** Child tasks. */
export const CHILDREN: FlowSuite = { name: 'child tasks', flows: FLOWS, tests };
