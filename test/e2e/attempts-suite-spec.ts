import { expect } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { untilTask } from '../ledger/index.js';
import type { FlowStage, FlowSuite } from './flow-stage-spec.js';

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
});

const FLOWS = {
  /** Its second step runs until it is called off. */
  'long-work': [
    effect('reserve'),
    { name: 'work', normal: { module: 'lab', command: 'sleep', parameters: { ms: 600_000 } } },
  ],
  /** Its second step waits for a signal. */
  'long-wait': [effect('reserve'), { name: 'listen', wait: { signal: 'go' } }],
};

interface Attempt {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly executor: string;
  readonly module: string;
}

function tests(stage: FlowStage): void {
  const attempts = async (query: string): Promise<readonly Attempt[]> => {
    return (await stage.api.get<{ items: readonly Attempt[] }>(`/v1/attempts?${query}`)).items;
  };
  const found = async (q: string): Promise<readonly string[]> => {
    const path = `/v1/tasks?q=${encodeURIComponent(`flow:long-* ${q}`)}`;
    const { items } = await stage.api.get<{ items: readonly { taskId: string }[] }>(path);
    return items.map(({ taskId }) => taskId);
  };
  const until = (taskId: string, state: string) => {
    return untilTask(stage.api, taskId, ({ steps }) => steps[1]?.state === state);
  };

  stage.it('are listed, and find their tasks, until they are called off', async () => {
    const working = await stage.api.create('long-work');
    const waiting = await stage.api.create('long-wait');
    await until(working, 'running');
    await until(waiting, 'waiting');
    const [one, ...more] = await attempts('flow=long-work&direction=normal');
    expect(more).toEqual([]);
    expect(one).toMatchObject({ taskId: working, step: 'work', attempt: 1, module: 'lab' });
    const executor = one?.executor ?? '';
    expect(await attempts(`executor=${executor}&step=work`)).toHaveLength(1);
    expect(await attempts('age=1h')).toEqual([]);
    expect(await attempts('flow=long-wait')).toEqual([]);
    expect(await found(`executor:${executor}`)).toEqual([working]);
    expect(await found('step:work module:lab')).toEqual([working]);
    expect(await found('step:listen')).toEqual([waiting]);
    expect(await found('module:lab')).toEqual([working]);
    expect(await found('stage:listen,work')).toEqual([waiting, working]);
    const cli = new CliChild(['attempt', 'list', '--executor', executor, '-o', 'json'], {
      cwd: process.cwd(),
      env: { BACKSTEP_URL: stage.api.url },
    });
    const { code, stdout } = await cli.end;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ taskId: working, step: 'work' }]]);
    for (const taskId of [working, waiting]) {
      expect((await stage.api.act(taskId, 'terminate', { reason: 'a test' })).status).toBe(200);
      await untilTask(stage.api, taskId);
    }
    expect(await found('stage:listen,work')).toEqual([]);
    expect(await attempts('flow=long-work')).toEqual([]);
  });
}

/** Attempts that run, and the searches for their tasks. */
export const ATTEMPTS: FlowSuite = { name: 'attempts that run', flows: FLOWS, tests };
