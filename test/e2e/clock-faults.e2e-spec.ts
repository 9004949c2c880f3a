import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { clockJumps, clocksApart, type DistributedTarget } from '../faults/index.js';
import { type Hold, startDistributed } from '../faults/index.js';
import { Api, effectsOf, type EffectView, type NextOrder, PRACTICE_FLOWS } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { endure } from '../storm/index.js';
import { Trial, writeFlows, writeHosts } from '../trial/index.js';

const PER_SECOND = 5;
const LIVE_MAX = 60;
/** For machines on which much else happens; how long it really took is printed. */
const WITHIN_MS = 120_000;
const HALF_AN_HOUR_MS = 30 * 60_000;

jest.setTimeout(300_000);

/** What is left of the two effects of a task. A jump can end a step whose time is then over. */
const NET_OF: Readonly<Record<string, unknown>> = {
  succeeded: ['succeeded', { before: 1, after: 1 }],
  rolled_back: ['rolled_back', { before: 0, after: 0 }],
};

function netEffects(effects: readonly EffectView[]): Readonly<Record<string, number>> {
  const nets = effects.map(({ applied, name, undone }) => [name, applied - undone] as const);
  return { before: 0, after: 0, ...Object.fromEntries(nets) };
}

/** Steps that are long enough to be at work when a clock jumps. */
const next: NextOrder = () => ({ flow: 'lab-sleep-effect', parameters: {} });

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('executors whose clocks are wrong', { servers, own: true }, () => {
  const trial = new Trial('clock-faults');
  const hold: Hold = { random: trial.random, seconds: [1, 3] };
  let target: DistributedTarget;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, PRACTICE_FLOWS),
        lease: '5s',
        governanceInterval: '200ms',
        redispatchAfter: '1s',
      };
      target = await startDistributed({ folder, settings, executors: { lab: 2 } });
      trial.use(target.stack);
    }),
  );
  afterAll(() => trial.close());

  /** Whether anybody wrote a time into its journal that was wrong by far. */
  async function wasTimedWrongly(api: Api, taskId: string): Promise<boolean> {
    const events = await api.events(taskId);
    return events.some(({ at }) => Math.abs(Date.parse(at) - Date.now()) > HALF_AN_HOUR_MS);
  }

  trial.it('leave no task behind and do nothing twice', async () => {
    const { clocks, stack } = target;
    const { url } = stack;
    const [wrong] = stack.executors.lab;
    const blows = [...clockJumps(wrong!, clocks, hold), clocksApart(stack.processes, clocks, hold)];
    const plan = { perSecond: PER_SECOND, liveMax: LIVE_MAX, next, withinMs: WITHIN_MS };
    const { orders, tasks } = await endure(trial, { ...plan, name: 'clock', blows, url });
    const api = new Api(url);
    // Every order is one task, and there is no other.
    expect(tasks).toHaveLength(orders.length);
    expect(await api.list()).toHaveLength(orders.length);
    const effects = new Api(stack.effectsUrl);
    let timedWrongly = 0;
    for (const { status, taskId } of tasks) {
      if (await wasTimedWrongly(api, taskId)) timedWrongly += 1;
      expect([status, netEffects(await effectsOf(effects, taskId))]).toEqual(NET_OF[status]);
    }
    expect(timedWrongly).toBeGreaterThan(0);
  });
});
