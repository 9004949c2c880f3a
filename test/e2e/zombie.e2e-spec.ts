import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { parseDuration } from '#wording';
import { faultsAfter, hasEnded, untilAllEnded } from '../ledger/index.js';
import { Api, effectsOf, FAILING_FLOW, Load, PRACTICE_FLOWS, someInstance } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, Stack } from '../stack/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const LEASE_MS = parseDuration(WAITS.followSoon.lease);
const WITHIN_MS = 120_000;
const COUNT = 30;

jest.setTimeout(600_000);

const servers = ['mongo', 'rabbitmq'] as const;

describeWith(
  'an executor that stands still for three leases and goes on',
  { servers, own: true },
  () => {
    const trial = new Trial('zombie');
    let stack: Stack;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = {
          resourceHosts: await writeHosts(folder),
          flows: await writeFlows(folder, { ...FAILING_FLOW, ...PRACTICE_FLOWS }),
          ...WAITS.followSoon,
        };
        const executors = { lab: 2, mysql: 2 };
        stack = trial.use(await Stack.start({ executors, folder, settings }));
        api = new Api(stack.url);
      }),
    );
    afterAll(() => trial.close());

    /** Which of two processes has a step of these tasks. */
    async function startedBy(taskId: string, step: string): Promise<string | undefined> {
      const events = await api.events(taskId);
      return events.findLast((event) => event.kind === 'started' && event.step === step)?.actor;
    }

    /** A process whose session has ended goes on as `<instance>~2`. */
    const isOf = (process: AppProcess) => (actor: string | undefined) =>
      actor !== undefined && actor.split('~')[0] === process.instance;

    trial.it('changes nothing that its successor has decided', async () => {
      const [zombie] = stack.executors.lab as [AppProcess];
      const taskIds = await Promise.all(
        Array.from({ length: COUNT }, () => api.create('lab-sleep-effect')),
      );
      await waitUntil(
        async () => {
          const actors = await Promise.all(taskIds.map((taskId) => startedBy(taskId, 'sleep')));
          if (!actors.some(isOf(zombie))) throw new Error(`sleeping at ${actors.join()}`);
        },
        { what: 'the zombie has no step', deadlineMs: WITHIN_MS },
      );
      zombie.pause();
      const pausedAt = Date.now();
      await untilAllEnded(api, { withinMs: WITHIN_MS });
      await waitUntil(
        async () => {
          if (Date.now() - pausedAt < 3 * LEASE_MS) throw new Error('not yet');
        },
        { what: 'three leases', deadlineMs: 4 * LEASE_MS },
      );
      const decided = await api.list();
      zombie.resume();
      await zombie.untilReady();
      // Work that only starts now ends after whatever the zombie still had in hand.
      const later = await Promise.all(
        Array.from({ length: 2 * COUNT }, () => api.create('lab-sleep-effect')),
      );
      await untilAllEnded(api, { withinMs: WITHIN_MS });
      const actors = await Promise.all(later.map((taskId) => startedBy(taskId, 'sleep')));
      expect(actors.some(isOf(zombie))).toBe(true);
      expect(zombie.log).toMatch(/late_outcome|lease_lost|handed_back|stale/);
      const now = await api.list();
      expect(now.filter(({ taskId }) => taskIds.includes(taskId))).toEqual(decided);
      expect(decided.map(({ status }) => status)).toEqual(taskIds.map(() => 'succeeded'));
      const effects = new Api(stack.effectsUrl);
      for (const taskId of [...taskIds, ...later]) {
        expect(await effectsOf(effects, taskId)).toMatchObject([
          { name: 'after', applied: 1, undone: 0 },
          { name: 'before', applied: 1, undone: 0 },
        ]);
      }
    });

    trial.it('makes no instance that was made or undone without it', async () => {
      const { data, hostsUrl, url } = stack;
      const earlier = new Set((await api.list()).map(({ taskId }) => taskId));
      const { random, seed } = trial;
      const plan = { urls: [url], perSecond: 10, random, next: someInstance };
      const load = new Load({ ...plan, name: `zombie-${seed}` });
      for (const zombie of stack.executors.mysql) {
        await load.run(1 + random.next());
        zombie.pause();
        await load.run((3 * LEASE_MS) / 1_000);
        zombie.resume();
        await zombie.untilReady();
      }
      const orders = await load.finish();
      await untilAllEnded(api, { withinMs: WITHIN_MS });
      const practice = (await api.list()).filter(({ taskId }) => earlier.has(taskId));
      expect(practice.every(hasEnded)).toBe(true);
      expect(await faultsAfter(orders, { url, hostsUrl, data, others: earlier })).toEqual([]);
    });
  },
);
