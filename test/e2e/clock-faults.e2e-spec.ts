import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { clockJumps, clocksApart, startedWrong, WRONG_BY_S } from '../faults/index.js';
import { type DistributedTarget, type Hold, startDistributed } from '../faults/index.js';
import { Api, effectsOf, type EffectView, type EventView } from '../load/index.js';
import { type NextOrder, type Order, PRACTICE_FLOWS } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import type { AppProcess } from '../stack/index.js';
import { endure } from '../storm/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const PER_SECOND = 5;
const LIVE_MAX = 60;
/** For machines on which much else happens; how long it really took is printed. */
const WITHIN_MS = 120_000;
const TOLD_MS = 60_000;
const LOG_TAIL = 2_000;
/** Above what a busy machine may be wrong by when it measures, far below an hour. */
const NEAR_MS = 60_000;

jest.setTimeout(300_000);

/** The end of each flow's task, and how many of its two effects are then left. */
const ORDERED: Readonly<Record<string, unknown>> = {
  'lab-sleep-effect': { status: 'succeeded', effects: { before: 1, after: 1 } },
  'lab-sleep-undo': { status: 'rolled_back', effects: { before: 0, after: 0 } },
};

/** Events that occur only when a time limit has passed, or when a person has to act. */
const ENDED_BY_TIME = new Set(['timed_out', 'lease_lost', 'alert_raised', 'task_rollback_failed']);

function netEffects(effects: readonly EffectView[]): Readonly<Record<string, number>> {
  const nets = effects.map(({ applied, name, undone }) => [name, applied - undone] as const);
  return { before: 0, after: 0, ...Object.fromEntries(nets) };
}

/** Steps, and ways back, that are long enough to be at work when a clock jumps. */
const next: NextOrder = (random) => ({
  flow: random.next() < 0.5 ? 'lab-sleep-effect' : 'lab-sleep-undo',
  parameters: {},
});

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('processes whose clocks are wrong by an hour', { servers, own: true }, () => {
  const trial = new Trial('clock-faults');
  const hold: Hold = { random: trial.random, seconds: [1, 3] };
  const startedAt = Date.now();
  let target: DistributedTarget;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, PRACTICE_FLOWS),
        ...WAITS.outlastBusyMachine,
      };
      target = await startDistributed({ folder, settings, executors: { lab: 2 } });
      trial.use(target.stack);
    }),
  );
  afterAll(() => trial.close());

  /** Events of a task that a clock fault caused, or whose time is wrong; there must be none. */
  function clockFaults(events: readonly EventView[]): readonly EventView[] {
    const isNear = (at: number): boolean => at > startedAt - NEAR_MS && at < Date.now() + NEAR_MS;
    return events.filter(({ at, kind }) => ENDED_BY_TIME.has(kind) || !isNear(Date.parse(at)));
  }

  async function resultOf({ flow, taskId }: Order): Promise<unknown> {
    const { stack } = target;
    const api = new Api(stack.url);
    const { status } = await api.task(taskId!);
    const effects = netEffects(await effectsOf(new Api(stack.effectsUrl), taskId!));
    return { taskId, flow, status, effects, faults: clockFaults(await api.events(taskId!)) };
  }

  trial.it('end no step and no rollback, call nobody, and write no wrong time', async () => {
    const { clocks, stack } = target;
    const { url } = stack;
    const [first, second] = stack.executors.lab;
    const [gateway] = stack.gateways;
    const blows = [
      ...clockJumps(first!, clocks, hold),
      ...clockJumps(gateway!, clocks, hold),
      startedWrong(second!, clocks, hold),
      startedWrong(gateway!, clocks, hold),
      clocksApart(stack.processes, clocks, hold),
    ];
    const plan = { perSecond: PER_SECOND, liveMax: LIVE_MAX, next, withinMs: WITHIN_MS };
    const { orders, tasks } = await endure(trial, { ...plan, name: 'clock', blows, url });
    // Every order is one task, and there is no other.
    expect(tasks).toHaveLength(orders.length);
    expect(await new Api(url).list()).toHaveLength(orders.length);
    for (const order of orders) {
      const { flow, taskId } = order;
      const result = { taskId, flow, ...(ORDERED[flow] as object), faults: [] };
      expect(await resultOf(order)).toEqual(result);
    }
  });

  /** How far the process says its machine's clock is ahead, in seconds. */
  async function offsetOf({ url }: AppProcess): Promise<number> {
    const { body } = await new Api(url).ask<string>({ path: '/metrics' });
    return Number(/^backstep_clock_offset_seconds (\S+)$/m.exec(body)?.[1]);
  }

  async function isLogged({ log, name }: AppProcess, text: string): Promise<void> {
    if (!log.includes(text)) throw new Error(`${name} has only said ${log.slice(-LOG_TAIL)}`);
  }

  trial.it('say so in their metrics and their logs', async () => {
    const { clocks, stack } = target;
    const [process] = stack.executors.monitor;
    const wait = { what: 'the wrong clock is not told of', deadlineMs: TOLD_MS };
    clocks.set(process!.name, WRONG_BY_S);
    expect(Math.abs((await offsetOf(process!)) - WRONG_BY_S)).toBeLessThan(NEAR_MS / 1_000);
    await waitUntil(() => isLogged(process!, "s ahead of the store's"), wait);
    clocks.set(process!.name, 0);
    expect(Math.abs(await offsetOf(process!))).toBeLessThan(NEAR_MS / 1_000);
  });
});
