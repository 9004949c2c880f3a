import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { faultsAfter } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { endure, judgeKills, KILL_FLOWS, someKillOrder } from '../storm/index.js';
import { playsAll } from '../trial/plays-all.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const KILLS = playsAll() ? 6 : 3;
const PER_SECOND = 50;
/** A backlog on a machine on which much else happens says nothing about the crash. */
const LIVE_MAX = 200;
const WITHIN_MS = 120_000;

jest.setTimeout(480_000);

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
          flows: await writeFlows(trial.folder, KILL_FLOWS),
          ...WAITS.followSoon,
        },
      });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
    }),
  );
  afterAll(() => trial.close());

  trial.it('loses nothing, does nothing twice, and fails no task that has no retry', async () => {
    const { url } = backstep;
    const kill = { name: 'SIGKILL', strike: () => backstep.restart() };
    const endured = await endure(trial, {
      name: 'crash',
      blows: Array.from({ length: KILLS }, () => kill),
      url,
      perSecond: PER_SECOND,
      liveMax: LIVE_MAX,
      next: someKillOrder,
      withinMs: WITHIN_MS,
    });
    const data = path.join(trial.folder, 'data');
    const traces = { url, hostsUrl: url, effectsUrl: url, data };
    expect(await faultsAfter(endured.orders, traces)).toEqual([]);
    const { faults, losses, restarts } = await judgeKills(new Api(url), endured);
    console.log(`${restarts} restarts, ${losses} steps lost that must not start twice`);
    expect(faults).toEqual([]);
    expect(Math.min(restarts, losses)).toBeGreaterThan(0);
  });
});
