import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { countByStatus, faultsAfter, untilAllEnded } from '../ledger/index.js';
import { Api, FAILING_FLOW, Load, someInstance } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { formatReports, storm } from '../storm/index.js';
import { Trial, writeFlows, writeHosts } from '../trial/index.js';

const KILLS = 6;
const PER_SECOND = 50;
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
          lease: '1s',
          governanceInterval: '200ms',
          redispatchAfter: '1s',
        },
      });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
    }),
  );
  afterAll(() => trial.close());

  trial.it('loses nothing, does nothing twice and leaves nothing half done', async () => {
    const { random, seed } = trial;
    const { url } = backstep;
    const name = `crash-${seed}`;
    const next = someInstance;
    const load = new Load({ urls: [url], perSecond: PER_SECOND, random, next, name });
    const kill = { name: 'SIGKILL', strike: () => backstep.restart() };
    const blows = Array.from({ length: KILLS }, () => kill);
    const reports = await storm({ load, random, blows, url, withinMs: WITHIN_MS });
    const orders = await load.finish();
    const api = new Api(url);
    await untilAllEnded(api, { withinMs: WITHIN_MS });
    const counts = JSON.stringify(countByStatus(await api.list()));
    console.log(`seed ${seed}, ${orders.length} tasks: ${counts}\n${formatReports(reports)}`);
    const data = path.join(trial.folder, 'data');
    expect(await faultsAfter(orders, { url, hostsUrl: url, data })).toEqual([]);
  });
});
