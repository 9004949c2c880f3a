import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { type Hold, standaloneBlows, type StandaloneTarget } from '../faults/index.js';
import { startStandalone } from '../faults/index.js';
import { judge } from '../ledger/index.js';
import { FAILING_FLOW, someInstance } from '../load/index.js';
import { endure } from '../storm/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const PER_SECOND = 20;
const LIVE_MAX = 100;
/** For machines on which much else happens; how long it really took is printed. */
const WITHIN_MS = 120_000;

jest.setTimeout(300_000);

describe('a standalone process under faults of its disk and its clock', () => {
  const trial = new Trial('standalone-faults');
  const hold: Hold = { random: trial.random, seconds: [1, 2] };
  let target: StandaloneTarget;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = {
        resourceHosts: await writeHosts(folder),
        flows: await writeFlows(folder, FAILING_FLOW),
        ...WAITS.outlastFaults,
      };
      target = trial.use(await startStandalone({ folder, settings }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('loses nothing that it has acknowledged, and goes on by itself', async () => {
    const { data, process } = target;
    const { url } = process;
    const { orders, refusals } = await endure(trial, {
      name: 'disk',
      blows: standaloneBlows(target, hold),
      url,
      perSecond: PER_SECOND,
      liveMax: LIVE_MAX,
      next: someInstance,
      withinMs: WITHIN_MS,
    });
    const verdict = await judge(orders, { url, hostsUrl: url, data });
    expect(refusals).toEqual([503]);
    expect(verdict).toEqual({ lost: [], stuck: [], wrong: [] });
  });
});
