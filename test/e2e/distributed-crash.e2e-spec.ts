import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { faultsAfter } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import type { ServerName } from '../servers/index.js';
import { type AppProcess, Stack, type StackOptions } from '../stack/index.js';
import { type Blow, endure, judgeKills, KILL_FLOWS, someKillOrder } from '../storm/index.js';
import { playsAll } from '../trial/plays-all.js';
import { ofTurn } from '../trial/turn.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

/** The rate that two busy cores bear, with a store that syncs every commit. */
const PER_SECOND = 10;
/** A backlog on a machine on which much else happens says nothing about the crash. */
const LIVE_MAX = 30;
const WITHIN_MS = 120_000;

type Variant = Pick<StackOptions, 'executors' | 'gateways' | 'independent'>;

const TWO: Variant = { gateways: 2, executors: { resource: 2, mysql: 2, monitor: 2, lab: 2 } };
const VARIANTS: readonly (readonly [string, Variant, readonly ServerName[]])[] = [
  ['one process of each kind', {}, ['mongo', 'rabbitmq']],
  ['two of each kind', TWO, ['mongo', 'rabbitmq']],
  [
    'two of each kind, as on machines of their own',
    { ...TWO, independent: true },
    ['mongo', 'rabbitmq', 'mariadb'],
  ],
];

jest.setTimeout(480_000);

describe.each(ofTurn(VARIANTS))('the distributed set with %s', (name, variant, servers) => {
  describeWith('killed one after the other', { servers, own: true }, () => {
    const trial = new Trial(`distributed-crash`);
    let stack: Stack;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = {
          resourceHosts: await writeHosts(folder),
          flows: await writeFlows(folder, KILL_FLOWS),
          ...WAITS.followSoonAmongMany,
        };
        stack = trial.use(await Stack.start({ ...variant, folder, settings }));
      }),
    );
    afterAll(() => trial.close());

    /** A process of each kind, or every one where everything is played, in an order of chance. */
    function kills(): readonly Blow[] {
      const shuffled: AppProcess[] = [];
      for (const left = [...stack.processes]; left.length > 0;) {
        shuffled.push(...left.splice(trial.random.between(0, left.length - 1), 1));
      }
      const first = shuffled.filter(({ app }, nth) => {
        return playsAll() || shuffled.findIndex((other) => other.app === app) === nth;
      });
      return first.map((victim) => {
        return { name: `SIGKILL ${victim.name}`, strike: () => victim.restart() };
      });
    }

    trial.it('loses nothing, does nothing twice, and fails no task that has no retry', async () => {
      const { data, effectsUrl, hostsUrl, instances, url } = stack;
      const endured = await endure(trial, {
        name,
        blows: kills(),
        url,
        urls: stack.gateways.map((gateway) => gateway.url),
        perSecond: PER_SECOND,
        liveMax: LIVE_MAX,
        next: someKillOrder,
        withinMs: WITHIN_MS,
      });
      const traces = { url, hostsUrl, effectsUrl, data, instances };
      expect(await faultsAfter(endured.orders, traces)).toEqual([]);
      const { faults, losses, restarts } = await judgeKills(new Api(url), endured);
      console.log(`${restarts} restarts, ${losses} steps lost that must not start twice`);
      expect(faults).toEqual([]);
      // Nothing is shown by kills that met no command.
      expect(restarts + losses).toBeGreaterThan(0);
    });
  });
});
