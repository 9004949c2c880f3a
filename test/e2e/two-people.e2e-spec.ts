import { execFile } from 'node:child_process';
import nodePath from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api, type EventView } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, planStandalone, REPOSITORY } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

const TASKS = 60;
const DEADLINE_MS = 120_000;

jest.setTimeout(4 * DEADLINE_MS);

const run = promisify(execFile);

const FLOWS = {
  'create-it': {
    steps: [{ name: 'long', normal: { module: 'lab', command: 'hang', parameters: { ms: 10 } } }],
  },
};

interface Operation {
  readonly operationId: string;
  readonly taskId: string;
  readonly status: string;
  readonly done: number;
  readonly refused: number;
  readonly consent: { readonly decision: { readonly actor: string } | null };
}

describe('an action that needs two people', () => {
  const trial = new Trial('two-people');
  let backstep: AppProcess;
  const keys: Record<string, string> = {};

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const approvals = 'undo on create-* needs two';
      const flows = await writeFlows(folder, FLOWS);
      const settings = { auth: 'keys', log: 'warn', approvals, flows, lease: '2s' } as const;
      backstep = await planStandalone({ folder, settings });
      for (const name of ['ann', 'ben']) keys[name] = await keyOf(name, folder);
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
    }),
  );
  afterAll(() => trial.close());

  const keyOf = async (name: string, folder: string): Promise<string> => {
    const store = `sqlite:${nodePath.join(folder, 'data', 'backstep.db')}`;
    const program = nodePath.join(REPOSITORY, 'bin', 'backstep.mjs');
    const argv = [program, 'key', 'create', name, '--admin', '--store', store, '--quiet'];
    const { HOME = '/', PATH = '' } = process.env;
    return (await run(process.execPath, argv, { cwd: folder, env: { HOME, PATH } })).stdout.trim();
  };

  const ask = async <T>(name: string, at: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${keys[name]}` };
    const answer = await new Api(backstep.url).ask<T>({
      path: at,
      headers,
      withinMs: 60_000,
      ...(body && { body }),
    });
    if (answer.status >= 300) throw new Error(`${at}: ${answer.status}`);
    return answer.body;
  };

  const askForAll = async (): Promise<readonly Operation[]> => {
    const waiting: Operation[] = [];
    for (let n = 0; n < TASKS; n += 1) {
      const order = { flow: 'create-it' };
      const { taskId } = await ask<{ taskId: string }>('ann', '/v1/tasks?wait=60s', order);
      waiting.push(await ask('ann', `/v1/tasks/${taskId}:undo`, { reason: 'not needed' }));
    }
    return waiting;
  };

  /** Either it waits and nothing happened, or it was approved and done once; true: approved. */
  const expectWhole = async (operation: Operation): Promise<boolean> => {
    const { consent, done, status, taskId } = operation;
    const path = `/v1/tasks/${taskId}/events`;
    const { items } = await ask<{ items: readonly EventView[] }>('ann', path);
    const acts = items.filter(({ kind }) => kind === 'undo_requested');
    const isApproved = consent.decision !== null;
    const whole = isApproved ? ['finished', 1, 1] : ['waiting', 0, 0];
    expect([status, done, acts.length]).toEqual(whole);
    const message = expect.stringContaining('approved by ben') as unknown as string;
    for (const act of acts) expect(act).toMatchObject({ actor: 'ann', message });
    return isApproved;
  };

  trial.it(
    'is done once for each approval, though the gateway is killed in the middle',
    async () => {
      const waiting = await askForAll();
      expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['waiting']));
      const approvals = waiting.map(({ operationId }) =>
        ask('ben', `/v1/operations/${operationId}:approve`, { comment: 'seen' }),
      );
      await Promise.race(approvals);
      await backstep.kill();
      const answered = (await Promise.allSettled(approvals)).filter(
        ({ status }) => status === 'fulfilled',
      );
      await backstep.start();
      const look = (): Promise<readonly Operation[]> =>
        Promise.all(
          waiting.map(({ operationId }) => ask<Operation>('ann', `/v1/operations/${operationId}`)),
        );
      const settled = async (): Promise<void> => {
        const moving = (await look()).filter(({ status }) => status === 'running');
        if (moving.length > 0) throw new Error(`${moving.length} are under way`);
      };
      await waitUntil(settled, { what: 'the end of what was approved', deadlineMs: DEADLINE_MS });
      let approved = 0;
      for (const operation of await look()) approved += (await expectWhole(operation)) ? 1 : 0;
      expect(approved).toBeGreaterThanOrEqual(answered.length);
      console.log(
        `${TASKS} waited, ${answered.length} answered, ${approved} approved and done once`,
      );
    },
  );
});
