import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { blowsToLines, brokerBlows, type DistributedTarget } from '../faults/index.js';
import { type Hold, replaced, startDistributed } from '../faults/index.js';
import { countByStatus, judge, type Verdict } from '../ledger/index.js';
import { FAILING_FLOW, type NextOrder, type Order, someInstance } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type Blow, endure } from '../storm/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const PER_SECOND = 6;
const LIVE_MAX = 60;
/** For machines on which much else happens; how long it really took is printed. */
const WITHIN_MS = 120_000;
const NOTHING: Verdict = { lost: [], stuck: [], wrong: [] };

jest.setTimeout(600_000);

/** Nothing but instances that can be made: whatever fails, fails because of a blow. */
const possible: NextOrder = (random) => ({
  flow: 'create-db-instance',
  parameters: { cpu: random.between(1, 8), memory: random.between(1, 64), storage: 10 },
});

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('the distributed set under faults', { servers, own: true }, () => {
  const trial = new Trial('distributed-faults');
  const hold: Hold = { random: trial.random, seconds: [1, 3] };
  const all: Order[] = [];
  let target: DistributedTarget;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, FAILING_FLOW),
        ...WAITS.outlastFaults,
      };
      target = await startDistributed({ folder, settings });
      trial.use(target.stack);
    }),
  );
  afterAll(() => trial.close());

  /** Deals the blows under load; nothing may be lost, stuck or wrong. Resolves to the new tasks. */
  async function survive(name: string, blows: readonly Blow[], next: NextOrder) {
    const { data, hostsUrl, url } = target.stack;
    const plan = { perSecond: PER_SECOND, liveMax: LIVE_MAX, next, withinMs: WITHIN_MS };
    const { orders, tasks } = await endure(trial, { ...plan, name, blows, url });
    all.push(...orders);
    expect(await judge(all, { url, hostsUrl, data })).toEqual(NOTHING);
    return tasks;
  }

  trial.it('ends every task whatever happens to the lines to its servers', async () => {
    await survive('lines', blowsToLines(target, hold), someInstance);
  });

  trial.it('ends every task when the broker is blocked, stopped, or loses a queue', async () => {
    await survive('broker', brokerBlows(target.stack.servers.rabbitmq, hold), someInstance);
  });

  trial.it('fails no task when each process is replaced in turn, twice', async () => {
    const { processes } = target.stack;
    const blows = [...processes, ...processes].map((process) => replaced(process));
    const tasks = await survive('rollout', blows, possible);
    expect(countByStatus(tasks)).toEqual({ succeeded: tasks.length });
  });
});
