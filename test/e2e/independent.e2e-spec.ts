import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { isAt, untilTask } from '../ledger/index.js';
import { Api, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, INDEPENDENT, REPOSITORY, SECRET_KEY, Stack } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const run = promisify(execFile);
const WAIT = { module: 'lab', command: 'later', parameters: { timeout: '10m' } };

const MADE = [
  {
    name: 'make',
    normal: { module: 'mysql', command: 'init_instance' },
    rollback: { module: 'mysql', command: 'clean_instance' },
  },
  {
    name: 'watch',
    normal: { module: 'monitor', command: 'add_target' },
    rollback: { module: 'monitor', command: 'remove_target' },
  },
  {
    name: 'tell',
    normal: { module: 'monitor', command: 'report_event' },
    rollback: { module: 'monitor', command: 'report_event' },
  },
];
/** The instance is there, watched and told of; a person decides whether it stays. */
const FLOWS = { 'make-and-wait': [...MADE, { name: 'wait', normal: WAIT }], made: MADE };

interface Group {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

describeWith('executors on machines of their own', { ...INDEPENDENT, own: true }, () => {
  const trial = new Trial('independent');
  let stack: Stack;
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = { flows: await writeFlows(folder, FLOWS), ...WAITS.outlastFaults };
      const executors = { mysql: 2, monitor: 2 };
      stack = trial.use(await Stack.start({ folder, settings, executors, independent: true }));
      api = new Api(stack.url);
    }),
  );
  afterAll(() => trial.close());

  /** Works with only this copy of the module: the other one is stopped meanwhile. */
  const onlyThe = async (copy: 0 | 1, work: () => Promise<TaskView>): Promise<TaskView> => {
    const away = [stack.executors.mysql[1 - copy]!, stack.executors.monitor[1 - copy]!];
    for (const process of away) await process.terminate();
    try {
      return await work();
    } finally {
      for (const process of away) await process.start();
    }
  };
  const make = async (instance: string): Promise<TaskView> => {
    const order = { flow: 'make-and-wait', parameters: { instance } };
    const { body } = await api.ask<TaskView>({ path: '/v1/tasks', body: order });
    return untilTask(api, body.taskId, isAt('wait'));
  };
  const credentialsOf = (instance: string) =>
    runCredentials(stack, { folder: trial.folder, instance });

  trial.it('what one copy has done the other one undoes, whole', async () => {
    const [one, other] = stack.executors.monitor;
    const task = await onlyThe(0, () => make('moved'));
    expect(await stack.instances?.()).toEqual(['moved']);
    for (const copy of [one!, other!]) {
      expect(await targetsAt(copy)).toEqual(['moved']);
      expect(await eventsAt(copy, task.taskId)).toBe(1);
    }
    const undone = await onlyThe(1, async () => {
      const reason = 'on the other machine';
      await api.act(task.taskId, 'rollback', { reason });
      return untilTask(api, task.taskId);
    });
    expect(undone.status).toBe('rolled_back');
    expect(await stack.instances?.()).toEqual([]);
    expect(await targetsAt(one!)).toEqual([]);
    expect(await eventsAt(one!, task.taskId)).toBe(2);
    await expect(credentialsOf('moved')).rejects.toMatchObject({ code: 3 });
  });

  trial.it('a step of a copy that was killed is done by the other, once', async () => {
    const order = { flow: 'made', parameters: { instance: 'killed' } };
    const { body } = await api.ask<TaskView>({ path: '/v1/tasks', body: order });
    const [mysql] = stack.executors.mysql;
    await mysql!.restart();
    expect(await untilTask(api, body.taskId)).toMatchObject({ status: 'succeeded' });
    expect(await stack.instances?.()).toEqual(['killed']);
    expect(await targetsAt(stack.executors.monitor[1]!)).toEqual(['killed']);
  });

  trial.it('whoever has the key is told a password, and it is right', async () => {
    const { stdout } = await credentialsOf('killed');
    const member = (name: string) => new RegExp(`^${name} = (.+)$`, 'm').exec(stdout)?.[1];
    const session = await createConnection({
      host: member('host')!,
      port: Number(member('port')),
      user: member('user')!,
      password: member('password')!,
    });
    const [rows] = await session.query<RowDataPacket[]>('SHOW DATABASES LIKE "bks_killed"');
    await session.end();
    expect(rows).toHaveLength(1);
  });

  trial.it('no executor has anything on its disk but the file for Prometheus', async () => {
    const folders = await readdir(stack.data, { recursive: true, withFileTypes: true });
    const files = folders.filter((entry) => entry.isFile());
    const foreign = files
      .map(({ name, parentPath }) => path.relative(stack.data, path.join(parentPath, name)))
      .filter((file) => !/^lab\.db|^monitor-\d\/targets\/backstep\.json$/.test(file));
    expect(foreign).toEqual([]);
  });

  trial.it('the sandbox and lab say that they are for one machine', async () => {
    const isSaid = async ({ log }: AppProcess) => expect(log).toContain('"one_machine_only"');
    const [lab] = stack.executors.lab;
    await waitUntil(() => isSaid(lab!), { what: 'lab says nothing', deadlineMs: 5_000 });
    expect(stack.executors.mysql[0]!.log).not.toContain('"one_machine_only"');
    expect(stack.executors.mysql[0]!.log).not.toContain('"secrets_in_clear"');
  });
});

async function targetsAt({ url }: AppProcess): Promise<readonly (string | undefined)[]> {
  const groups = await new Api(url).get<Group[]>('/modules/monitor/targets');
  return groups.map(({ labels }) => labels['instance']);
}

async function eventsAt({ url }: AppProcess, taskId: string): Promise<number> {
  const address = `/modules/monitor/events?taskId=${taskId}`;
  return (await new Api(url).get<{ items: object[] }>(address)).items.length;
}

/** `backstep mysql credentials` with the settings of the set. */
function runCredentials(
  { servers: { mariadb, mongo } }: Stack,
  { folder, instance }: { readonly folder: string; readonly instance: string },
) {
  const { HOME = '/', PATH = '' } = process.env;
  const settings = {
    BACKSTEP_STORE: new URL('/backstep', mongo.url).href,
    BACKSTEP_MYSQL_PROVIDER: 'server',
    BACKSTEP_MYSQL_URL: mariadb!.url,
    BACKSTEP_SECRET_KEY: SECRET_KEY,
  };
  const program = path.join(REPOSITORY, 'bin', 'backstep.mjs');
  const argv = [program, 'mysql', 'credentials', instance];
  return run(process.execPath, argv, { cwd: folder, env: { HOME, PATH, ...settings } });
}
