import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { faultsAfter } from '../ledger/index.js';
import { FAILING_FLOW, someInstance } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { endure } from '../storm/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const KILLS = 6;
const PER_SECOND = 50;
/** A backlog on a machine on which much else happens says nothing about the crash. */
const LIVE_MAX = 200;
const WITHIN_MS = 30_000;

jest.setTimeout(180_000);

describe('a standalone process that is killed again and again', () => {
  const trial = new Trial('standalone-crash');
  let backstep: AppProcess;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      backstep = await planStandalone({
        folder: trial.folder,
        settings: {
          resourceHosts: await writeHosts(trial.folder),
          flows: await writeFlows(trial.folder, FAILING_FLOW),
          ...WAITS.followSoon,
        },
      });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
    }),
  );
  afterAll(() => trial.close());

  trial.it('loses nothing, does nothing twice and leaves nothing half done', async () => {
    const { url } = backstep;
    const kill = { name: 'SIGKILL', strike: () => backstep.restart() };
    const { orders } = await endure(trial, {
      name: 'crash',
      blows: Array.from({ length: KILLS }, () => kill),
      url,
      perSecond: PER_SECOND,
      liveMax: LIVE_MAX,
      next: someInstance,
      withinMs: WITHIN_MS,
    });
    const data = path.join(trial.folder, 'data');
    expect(await faultsAfter(orders, { url, hostsUrl: url, data })).toEqual([]);
  });
});
