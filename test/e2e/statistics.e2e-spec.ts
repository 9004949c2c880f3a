import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { replaced } from '../faults/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Deployment, DEPLOYMENTS, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

/** Tasks before a process is replaced, and again after that; one of three fails. */
const TASKS = Number(process.env['BACKSTEP_TEST_TASKS'] ?? 60);

/** Tasks of one request. */
const BATCH = 30;

const undo = { module: 'lab', command: 'succeed' };

const FLOWS = {
  counted: {
    input: { type: 'object', properties: { fails: { type: 'boolean' } } },
    steps: [
      {
        name: 'flaky',
        normal: { module: 'lab', command: 'flaky', retry: 2, parameters: { failures: 1 } },
        rollback: undo,
      },
      {
        name: 'maybe',
        choice: [
          {
            name: 'bad',
            when: '{% fails %}',
            steps: [{ name: 'fail', normal: { module: 'lab', command: 'fail' }, rollback: null }],
          },
        ],
      },
    ],
  },
};

interface Statistics {
  readonly started: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly duration: { readonly p50: number; readonly p95: number; readonly max: number };
  readonly steps: readonly {
    readonly step: string;
    readonly direction: string;
    readonly succeeded: number;
    readonly failed: number;
    readonly retries: number;
  }[];
}

const PATH = '/v1/flows/counted/statistics?over=hour';

async function startTasks(api: Api): Promise<void> {
  for (let from = 0; from < TASKS; from += BATCH) {
    const tasks = Array.from({ length: BATCH }, (_, n) => {
      return { flow: 'counted', parameters: { fails: n % 3 === 0 } };
    });
    expect((await api.ask({ path: '/v1/tasks:batch', body: { tasks } })).status).toBe(200);
  }
}

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`statistics in a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`statistics-${kind}`);
    let backstep: Deployment;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = { flows: await writeFlows(folder, FLOWS) };
        const executors = { lab: 2 };
        backstep = trial.use(await startDeployment(kind, { folder, settings, executors }));
        api = new Api(backstep.url);
      }),
    );
    afterAll(() => trial.close());

    trial.it('are those of all tasks, whichever process counted them and has ended', async () => {
      await startTasks(api);
      await replaced(backstep.processOf('lab')).strike();
      await startTasks(api);
      await replaced(backstep.processOf('oss')).strike();
      const failing = Math.round((2 * TASKS) / 3);
      const all = 2 * TASKS;
      const agrees = async (): Promise<void> => {
        const { counts } = await api.get<{ counts: object }>('/v1/tasks:count?q=flow:counted');
        expect(counts).toEqual({ succeeded: all - failing, rolled_back: failing });
        const told = await api.get<Statistics>(PATH);
        expect(told.started).toBe(all);
        expect(told.ended).toEqual({ ...counts, terminated: 0 });
        const steps = told.steps.map(({ direction, failed, retries, step, succeeded }) => {
          return [step, direction, succeeded, failed, retries];
        });
        expect(steps).toEqual([
          ['flaky', 'normal', all, 0, all],
          ['flaky', 'rollback', failing, 0, 0],
          ['maybe', 'normal', all - failing, failing, 0],
          ['maybe/fail', 'normal', 0, failing, 0],
        ]);
      };
      await waitUntil(agrees, { what: 'statistics agree with the tasks', deadlineMs: 90_000 });
      const { duration } = await api.get<Statistics>(PATH);
      expect(duration.p50).toBeLessThanOrEqual(duration.p95);
      expect(duration.p95).toBeLessThanOrEqual(duration.max);
    });

    trial.it('are a table on the command line', async () => {
      const argv = ['flow', 'statistics', 'counted', '--over', 'month', '--url', backstep.url];
      const { code, stdout } = await new CliChild(argv, { cwd: trial.folder }).end;
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^maybe\/fail .* 100 % /m)]);
    });
  });
});
