import type { Api } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';

/** The tasks that the pictures are of, by what is seen of each. */
export interface PicturedTasks {
  readonly rolledBack: string;
  readonly asks: string;
  readonly retries: string;
  readonly fleet: string;
  readonly stuck: string;
  readonly chain: string;
}

const SIZE = { cpu: 4, memory: 8, storage: 500 };
/** How often two requests may miss the race that they are to run. */
const RACES_MAX = 10;
/** Retries that are behind a task when it is looked at. */
const RETRIES = 7;
const DEADLINE_MS = 120_000;

/** Starts what the pictures show, and waits until each task is where it is to be seen. */
export async function startTasks(api: Api): Promise<PicturedTasks> {
  await started(api, instanceOf('orders'));
  const path = '/modules/lab/faults/create-db-instance/init_instance';
  await api.ask({ method: 'PUT', path, body: { kind: 'slow', delay: '300ms' } });
  const rolledBack = await loserOfRace(api);
  await api.ask({ method: 'DELETE', path });
  const [retries, chain, fleet, stuck] = await Promise.all([
    api.create('rotate-certificate'),
    api.create('upgrade-fleet'),
    api.create('resize-fleet'),
    api.create('delete-tenant', { tenant: 'acme' }),
  ]);
  const asks = await started(api, moveOf('orders', 'payments'));
  await started(api, moveOf('ledger', 'finance'));
  await until(
    api,
    asks,
    ({ status, steps }) => steps[1]?.state === 'waiting' || status === 'on_hold',
  );
  await until(api, stuck, ({ status }) => status === 'rollback_failed');
  for (const id of [fleet, chain]) await until(api, id, ({ timeEnd }) => timeEnd !== null);
  await until(api, retries, ({ steps }) => (steps[1]?.attempts ?? 0) > RETRIES);
  const limits = { maxConcurrency: 8, ratePerSecond: 5, fairBy: 'team' };
  await api.ask({ method: 'PUT', path: '/v1/limits/mysql', body: limits });
  return { rolledBack, asks, retries, fleet, stuck, chain };
}

function instanceOf(instance: string): Asked {
  return { flow: 'create-db-instance', parameters: { ...SIZE, instance }, team: 'payments' };
}

function moveOf(database: string, team: string): Asked {
  return { flow: 'move-database', parameters: { database }, team };
}

type Watched = Awaited<ReturnType<Api['task']>>;

/** Both checks find room for one more instance, and one of the two is charged first. */
async function loserOfRace(api: Api): Promise<string> {
  for (let race = 0; race < RACES_MAX; race += 1) {
    const ids = await Promise.all(
      ['invoices', 'payments'].map((instance) => {
        return started(api, instanceOf(instance));
      }),
    );
    for (const id of ids) await until(api, id, ({ timeEnd }) => timeEnd !== null);
    for (const id of ids) {
      const { status, steps } = await api.task(id);
      if (status === 'rolled_back' && steps[2]?.state === 'failed') return id;
    }
  }
  throw new Error(`no task lost in ${RACES_MAX} races`);
}

interface Asked {
  readonly flow: string;
  readonly parameters: object;
  readonly team: string;
}

async function started(api: Api, { flow, parameters, team }: Asked): Promise<string> {
  const body = { flow, parameters, labels: { team } };
  const { body: task, status } = await api.ask<Watched>({ path: '/v1/tasks', body });
  if (status !== 201) throw new Error(`${flow}: ${status} ${JSON.stringify(task)}`);
  return task.taskId;
}

function until(api: Api, id: string, isThere: (task: Watched) => boolean): Promise<void> {
  const look = async (): Promise<void> => {
    const task = await api.task(id);
    if (!isThere(task)) throw new Error(`${task.flow}: ${task.status}`);
  };
  return waitUntil(look, { what: `task ${id}`, deadlineMs: DEADLINE_MS });
}
