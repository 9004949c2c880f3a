import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { Api } from '../load/index.js';
import { alertsOfScrapes, findPromtool, type Scrapes } from '../monitoring/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { Stack } from '../stack/index.js';
import { Trial, WAITS } from '../trial/index.js';

/** Prometheus gives up an answer after ten seconds. */
const SCRAPE_MS = 10_000;
const WITHIN_MS = 60_000;

jest.setTimeout(300_000);

const promtool = findPromtool();
const servers = ['mongo', 'rabbitmq'] as const;

describeWith('the alerts while a server stands still', { servers, own: true }, () => {
  const trial = new Trial('outage-alerts');
  let stack: Stack;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const settings = WAITS.outlastOutages;
      stack = trial.use(await Stack.start({ folder: trial.folder, settings }));
      await new Api(stack.url).run('lab-approve');
    }),
  );
  afterAll(() => trial.close());

  async function alerts(scrapes: Scrapes): Promise<readonly string[]> {
    if (promtool === undefined) throw new Error('promtool is not installed');
    return alertsOfScrapes(scrapes, { folder: trial.folder, promtool });
  }

  async function expectAlert(
    check: string,
    server: 'mongo' | 'rabbitmq',
    alert: string,
  ): Promise<void> {
    const before = await untilReady(stack, check, 1);
    await stack.servers[server].pause();
    try {
      const away = await untilReady(stack, check, 0);
      expect(await alerts(away)).toEqual([alert]);
      for (const name of Object.keys(before)) {
        expect(gaugesIn(away[name])).toEqual(expect.arrayContaining([...gaugesIn(before[name])]));
      }
    } finally {
      await stack.servers[server].resume();
    }
    await untilReady(stack, check, 1);
  }

  trial.it('are none while all is well', async () => {
    expect(await alerts(await untilReady(stack, 'broker', 1))).toEqual([]);
  });

  trial.it('name the store, and keep all series', async () => {
    await expectAlert('store', 'mongo', 'BackstepStoreAway');
  });

  trial.it('name the broker, and keep all series', async () => {
    await expectAlert('broker', 'rabbitmq', 'BackstepBrokerAway');
  });
});

/** The series of what is read from servers. */
function gaugesIn(text = ''): readonly string[] {
  const found = text.matchAll(
    /^(backstep_(?:tasks_|approval_|executors|queue_|lock_tickets)\S*) /gm,
  );
  return [...found].map(([, name = '']) => name);
}

/** The answers of all processes to Prometheus. */
async function scrape(stack: Stack): Promise<Scrapes> {
  const entries = stack.processes.map(async ({ name, url }) => {
    const ask = { path: '/metrics', withinMs: SCRAPE_MS };
    const { body, status } = await new Api(url).ask<string>(ask);
    expect(status).toBe(200);
    return [name, body] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Until all processes tell so of a check. */
async function untilReady(stack: Stack, check: string, value: number): Promise<Scrapes> {
  let scrapes: Scrapes = {};
  const probe = async (): Promise<void> => {
    scrapes = await scrape(stack);
    for (const text of Object.values(scrapes)) {
      expect(text).toContain(`backstep_ready{check="${check}"} ${value}\n`);
    }
  };
  await waitUntil(probe, { what: `${check} is ${value}`, deadlineMs: WITHIN_MS });
  return scrapes;
}
