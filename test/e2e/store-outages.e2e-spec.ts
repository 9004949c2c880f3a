import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { type Hold, startStandalone, storeOutages, storeWithoutRoom } from '../faults/index.js';
import type { StandaloneTarget } from '../faults/index.js';
import {
  hangingReceiver,
  harmsOf,
  OUTAGE_FLOWS,
  outageText,
  outlive,
  targetOf,
} from '../outages/index.js';
import { describeWith } from '../servers/describe-with.js';
import { Stack } from '../stack/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const PER_SECOND = 3;
const EVERY_MS = 10_000;
/** The receiver of messages for people does not answer this number of them. */
const HANG_SHARE = 0.1;

jest.setTimeout(300_000);

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('the distributed set whose store comes back', { servers, own: true }, () => {
  const trial = new Trial('store-outages');
  const hold: Hold = { random: trial.random, seconds: [2, 8] };
  let stack: Stack;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder, seed } = trial;
      const receiver = trial.use(await hangingReceiver(seed, HANG_SHARE));
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, OUTAGE_FLOWS),
        alertWebhook: receiver.url,
        alertSecret: receiver.secret,
        ...WAITS.outlastOutages,
      };
      const plan = { folder, settings, gateways: 2, proxied: true };
      stack = trial.use(await Stack.start({ ...plan, executors: { resource: 2, lab: 2 } }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('takes no lease from a living process, and harms no task', async () => {
    const outages = storeOutages(stack.servers.mongo, stack.lines.mongo, hold);
    await expectNoHarm({ target: targetOf(stack), outages, seed: trial.seed, rounds: 1 });
  });
});

type NoHarm = Pick<Parameters<typeof outlive>[0], 'outages' | 'seed' | 'target'> & {
  readonly rounds: number;
};

describe('a standalone process whose store has no room for a while', () => {
  const trial = new Trial('store-full');
  const hold: Hold = { random: trial.random, seconds: [4, 8] };
  let target: StandaloneTarget;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, OUTAGE_FLOWS),
        ...WAITS.outlastFaults,
      };
      target = trial.use(await startStandalone({ folder, settings }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('loses no lease of its own, and harms no task', async () => {
    const { data, process } = target;
    const { url } = process;
    const outages = storeWithoutRoom(target, hold);
    const shot = { data, effectsUrl: url, hostsUrl: url, processes: [process], url, urls: [url] };
    await expectNoHarm({ target: shot, outages, seed: trial.seed, rounds: 2 });
  });
});

/** Lets each outage happen a number of times under load; in the end nothing was harmed. */
async function expectNoHarm({ rounds, ...plan }: NoHarm): Promise<void> {
  const lines: string[] = [];
  let left = rounds * plan.outages.length;
  const outlived = await outlive({
    ...plan,
    perSecond: PER_SECOND,
    everyMs: EVERY_MS,
    isOver: () => left-- === 0,
    print: (line) => lines.push(line),
  });
  console.log([...lines, outageText(outlived)].join('\n'));
  expect(harmsOf(outlived)).toEqual([]);
  expect(outlived.endedMs).not.toBeNull();
}
