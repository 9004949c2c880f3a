import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { hasEnded, isAt, untilTask } from '../ledger/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { seededRandom, Trial, writeFlows } from '../trial/index.js';

const TASKS = 1_000;
/** Every so many tasks one has a second step in the same module. */
const TWICE_EVERY = 5;
const KILL_AFTER = 300;
const PRIORITY_MAX = 60;
const AT_ONCE = 20;

jest.setTimeout(480_000);

const step = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'sleep', retry: 3, parameters: { ms: 2 } },
});

interface Asked {
  readonly flow: string;
  readonly priority: number;
}

interface Made {
  readonly taskId: string;
  readonly priority: number;
}

/** One action from when it was queued to its first start, in milliseconds since 1970. */
interface Wait {
  readonly orderAt: number;
  readonly queuedAt: number;
  readonly startedAt: number;
}

describe('a busy module of a standalone process', () => {
  const trial = new Trial('priority');
  let backstep: AppProcess;
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const flows = { ...PRACTICE_FLOWS, once: [step('a')], twice: [step('a'), step('b')] };
      backstep = await planStandalone({
        folder: trial.folder,
        settings: { flows: await writeFlows(trial.folder, flows), concurrency: '1', lease: '5s' },
      });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      api = new Api(backstep.url);
    }),
  );
  afterAll(() => trial.close());

  trial.it('starts what waits exactly by order time, across a kill as well', async () => {
    const blocker = await api.create('lab-long');
    await untilTask(api, blocker, isAt('sleep'));
    const random = seededRandom(11);
    const asked = Array.from({ length: TASKS }, (_, n) => ({
      flow: n % TWICE_EVERY === 0 ? 'twice' : 'once',
      priority: random.between(-PRIORITY_MAX, PRIORITY_MAX),
    }));
    const tasks = await submit(api, asked);
    await api.act(blocker, 'terminate', { reason: 'the others may begin' });
    const byPriority = tasks.toSorted((a, b) => b.priority - a.priority);
    await untilTask(api, byPriority[KILL_AFTER]!.taskId, hasEnded);
    await backstep.restart();
    for (const { taskId } of byPriority.toReversed()) await untilTask(api, taskId, hasEnded);

    const waits = (await Promise.all(tasks.map((task) => waitsOf(api, task)))).flat();
    expect(waits).toHaveLength(TASKS + TASKS / TWICE_EVERY);
    const passedOver = waits.filter((other) => waits.some((wait) => wasPassedOver(other, wait)));
    expect(passedOver).toEqual([]);
  });
});

async function submit(api: Api, asked: readonly Asked[]): Promise<Made[]> {
  const made: Made[] = [];
  const left = asked.values();
  const hand = async (): Promise<void> => {
    for (const body of left) {
      const answer = await api.ask<Made>({ path: '/v1/tasks', body });
      expect(answer.status).toBe(201);
      made.push({ taskId: answer.body.taskId, priority: body.priority });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
  return made;
}

async function waitsOf(api: Api, { taskId, priority }: Made): Promise<Wait[]> {
  const events = await api.events(taskId);
  const at = (kind: string, name?: string): number | undefined => {
    const found = events.find((each) => each.kind === kind && each.step === name);
    return found === undefined ? undefined : Date.parse(found.at);
  };
  const wait = (queuedAt: number, startedAt: number): Wait => {
    return { orderAt: queuedAt - priority * 1_000, queuedAt, startedAt };
  };
  const first = wait(at('created')!, at('started', 'a')!);
  const second = at('started', 'b');
  return second === undefined ? [first] : [first, wait(at('succeeded', 'a')!, second)];
}

/** `other` had been queued when `started` was started, was to go before it, and did not. */
function wasPassedOver(other: Wait, started: Wait): boolean {
  return (
    other.queuedAt < started.startedAt &&
    other.orderAt < started.orderAt &&
    other.startedAt > started.startedAt
  );
}
