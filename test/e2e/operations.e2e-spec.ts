import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, Stack, startDeployment } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

/** As many as a machine bears on which much else happens; `BULK_TASKS` asks for more. */
const TASKS = Number(process.env['BULK_TASKS'] ?? 600);
const BATCH = 200;
const DEADLINE_MS = 60_000 + 40 * TASKS;
/** Slow enough that there is a middle in which to kill. */
const RATE = Math.max(100, Math.min(1_000, TASKS / 8));

jest.setTimeout(4 * DEADLINE_MS);

const FLOWS = {
  held: {
    onFailure: 'hold',
    steps: [
      { name: 'bad', normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } } },
    ],
  },
};

interface TaskList {
  readonly items: readonly { readonly taskId: string }[];
  readonly page: { readonly nextCursor: string | null };
}

interface EventView {
  readonly kind: string;
}

interface Operation {
  readonly operationId: string;
  readonly status: string;
  readonly matched: number;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
}

/** Backstep as these tests see it: a gateway that is killed, and one to ask afterwards. */
interface Place {
  readonly victim: AppProcess;
  readonly survivor: string;
  /** Brings back what is needed to go on. */
  readonly mend: () => Promise<void>;
  readonly stop: () => Promise<unknown>;
}

async function standalone(folder: string, settings: object): Promise<Place> {
  const { processes, stop, url } = await startDeployment('standalone', { folder, settings });
  const victim = processes[0]!;
  return { victim, survivor: url, mend: () => victim.start(), stop };
}

async function distributed(folder: string, settings: object): Promise<Place> {
  const stack = await Stack.start({ folder, settings, gateways: 2 });
  const [victim, other] = stack.gateways as [AppProcess, AppProcess];
  return { victim, survivor: other.url, mend: async () => {}, stop: () => stack.stop() };
}

/** On a machine on which much else happens, some answers take long. */
async function ask<T>(api: Api, path: string, body?: object): Promise<T> {
  const answer = await api.ask<T>({ path, body, withinMs: 60_000 });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status}`);
  return answer.body;
}

async function createAll(api: Api): Promise<void> {
  for (let from = 0; from < TASKS; from += BATCH) {
    const count = Math.min(BATCH, TASKS - from);
    const tasks = Array.from({ length: count }, () => ({ flow: 'held' }));
    await ask(api, '/v1/tasks:batch', { tasks });
  }
}

/** Waits until every task is on hold. */
async function untilHeld(api: Api): Promise<void> {
  const look = async (): Promise<void> => {
    const path = '/v1/tasks:count?by=status&q=flow:held';
    const { counts } = await ask<{ counts: Record<string, number> }>(api, path);
    if (counts['on_hold'] !== TASKS) throw new Error(JSON.stringify(counts));
  };
  await waitUntil(look, { what: 'all tasks on hold', deadlineMs: DEADLINE_MS });
}

async function look(api: Api, operationId: string): Promise<Operation> {
  return ask(api, `/v1/operations/${operationId}`);
}

/** How often a person's retry stands in the journals of the tasks. */
async function tracesOf(api: Api): Promise<Record<string, number>> {
  const traces: Record<string, number> = {};
  let cursor: string | null = '';
  while (cursor !== null) {
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const list: TaskList = await ask<TaskList>(api, `/v1/tasks?flow=held&limit=${BATCH}${at}`);
    for (const { taskId } of list.items) {
      const path = `/v1/tasks/${taskId}/events`;
      const { items } = await ask<{ items: readonly EventView[] }>(api, path);
      const retries = items.filter(({ kind }) => kind === 'retry_requested').length;
      const trace = `${retries} retries`;
      traces[trace] = (traces[trace] ?? 0) + 1;
    }
    cursor = list.page.nextCursor;
  }
  return traces;
}

const PLACES = [
  { kind: 'standalone', servers: [], open: standalone },
  { kind: 'distributed', servers: ['mongo', 'rabbitmq'], open: distributed },
] as const;

describe.each(PLACES)('$kind', ({ kind, open, servers }) => {
  describeWith(`an operation in a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`operations-${kind}`);
    let place: Place;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = { flows: await writeFlows(folder, FLOWS), ...WAITS.followSoonAmongMany };
        place = trial.use(await open(folder, settings));
      }),
    );
    afterAll(() => trial.close());

    trial.it('acts on each task once, though its gateway is killed in the middle', async () => {
      const { mend, survivor, victim } = place;
      const api = new Api(survivor);
      await createAll(new Api(victim.url));
      await untilHeld(api);
      const started = Date.now();
      const order = { action: 'retry', q: 'flow:held status:on_hold', reason: 'in bulk' };
      const body = { ...order, ratePerSecond: RATE };
      const { operationId } = await ask<Operation>(new Api(victim.url), '/v1/operations', body);
      const third = async (): Promise<void> => {
        const { done } = await look(new Api(victim.url), operationId);
        if (done < TASKS / 3) throw new Error(`${done} done`);
      };
      await waitUntil(third, { what: 'a third of the tasks', deadlineMs: DEADLINE_MS });
      const { done: before } = await look(new Api(victim.url), operationId);
      await victim.kill();
      await mend();
      const end = async (): Promise<void> => {
        const { done, status: now } = await look(api, operationId);
        if (now !== 'finished') throw new Error(`${now}, ${done} done`);
      };
      await waitUntil(end, { what: 'the end of the operation', deadlineMs: DEADLINE_MS });
      const took = Date.now() - started;
      expect(await look(api, operationId)).toMatchObject({
        matched: TASKS,
        done: TASKS,
        refused: 0,
        failed: 0,
      });
      expect(before).toBeLessThan(TASKS);
      await untilHeld(api);
      expect(await tracesOf(api)).toEqual({ '1 retries': TASKS });
      console.log(`${TASKS} tasks, killed after ${before}, ended after ${took} ms`);
    });
  });
});
