import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { hasEnded, isAt, untilTask } from '../ledger/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type AppProcess, DISTRIBUTED, planStandalone, Stack } from '../stack/index.js';
import { seededRandom, Trial, writeFlows } from '../trial/index.js';
import { playsAll } from '../trial/plays-all.js';

const TASKS = playsAll() ? 1_000 : 400;
/** Among this number of tasks one has a second step in the same module. */
const TWICE_EVERY = 5;
const KILL_AFTER = 0.3 * TASKS;
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

const SLOTS = 4;
const WAITING = 180;
/** Less than any two of these priorities differ by. */
const TOLERATED_MS = 2_000;
/** Head starts that are as urgent as each other for a broker that knows classes alone. */
const PRIORITIES = [500, 60, 30, 5, 0, 0, 0, -5, -30, -60];

describeWith('a busy module of the distributed set', DISTRIBUTED, () => {
  const trial = new Trial('priority-distributed');
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const flows = { ...PRACTICE_FLOWS, once: [step('a')] };
      const settings = { flows: await writeFlows(trial.folder, flows), concurrency: String(SLOTS) };
      const stack = trial.use(await Stack.start({ folder: trial.folder, settings }));
      api = new Api(stack.url);
    }),
  );
  afterAll(() => trial.close());

  trial.it('starts what waits by order time, whatever its class', async () => {
    // The queue of a class is made for its first task, and found by the executor from then on.
    const first = await submit(
      api,
      [1, 0, -1].map((priority) => ({ flow: 'once', priority })),
    );
    for (const { taskId } of first) await untilTask(api, taskId, hasEnded);
    const blockers: string[] = [];
    for (let n = 0; n < SLOTS; n += 1) blockers.push(await api.create('lab-long'));
    for (const blocker of blockers) await untilTask(api, blocker, isAt('sleep'));
    const random = seededRandom(7);
    const asked = Array.from({ length: WAITING }, () => {
      return { flow: 'once', priority: random.pick(PRIORITIES) };
    });
    const tasks = await submit(api, asked);
    for (const blocker of blockers) {
      await api.act(blocker, 'terminate', { reason: 'the others may begin' });
    }
    for (const { taskId } of tasks) await untilTask(api, taskId, hasEnded);

    const waits = (await Promise.all(tasks.map((task) => waitsOf(api, task)))).flat();
    expect(waits).toHaveLength(WAITING);
    const passed = waits.filter((other) => {
      return waits.some((wait) => wasPassedOver(other, wait, TOLERATED_MS));
    });
    expect(passed.length).toBeLessThan(WAITING / 20);
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

/**
 * `other` had been queued when `started` was started, was to go before it, by more than this, and
 * did not.
 */
function wasPassedOver(other: Wait, started: Wait, toleratedMs = 0): boolean {
  return (
    other.queuedAt < started.startedAt &&
    other.orderAt + toleratedMs < started.orderAt &&
    other.startedAt > started.startedAt
  );
}
