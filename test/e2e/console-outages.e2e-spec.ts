import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, Visitor } from '../browser/index.js';
import { describeWith } from '../servers/describe-with.js';
import { Stack } from '../stack/index.js';
import { Trial, WAITS } from '../trial/index.js';

jest.setTimeout(300_000);

/** A gateway needs longer to tell a server that stands still from one that is slow. */
const PATIENCE_MS = 60_000;

const servers = ['mongo', 'rabbitmq'] as const;

const WORDS = {
  rabbitmq: 'The broker cannot be reached, since ',
  mongo: 'The store does not answer, since ',
} as const;

describeInBrowser('the console in an outage', () => {
  describeWith('of a server', { servers, own: true }, () => {
    const trial = new Trial('console-outages');
    let stack: Stack;
    let browser: Browser;
    let visitor: Visitor | undefined;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const settings = WAITS.outlastOutages;
        stack = trial.use(await Stack.start({ folder: trial.folder, settings }));
        browser = await openBrowser();
        trial.use({ stop: () => browser.close() });
      }),
    );
    afterEach(() => visitor?.close());
    afterAll(() => trial.close());

    for (const server of servers) {
      trial.it(`names on every page that ${server} is away, until it is back`, async () => {
        visitor = await Visitor.open(browser, stack.url);
        await visitor.visit('/inbox');
        await visitor.page.getByText('Nothing waits for a person.').waitFor();
        const banner = visitor.page.getByRole('status').filter({ hasText: WORDS[server] });
        expect(await banner.count()).toBe(0);
        await stack.servers[server].pause();
        try {
          await expectNamed(visitor, server);
        } finally {
          await stack.servers[server].resume();
        }
        await banner.waitFor({ state: 'detached', timeout: PATIENCE_MS });
        await visitor.page.getByText('Everything is ready').waitFor({ timeout: PATIENCE_MS });
        expect(visitor.strays).toEqual([]);
      });
    }
  });
});

/** The page that is open, the overview behind it, and its tile say which server is away. */
async function expectNamed(visitor: Visitor, server: keyof typeof WORDS): Promise<void> {
  const { page } = visitor;
  const words = WORDS[server];
  const banner = page.getByRole('status').filter({ hasText: words });
  await banner.waitFor({ timeout: PATIENCE_MS });
  await banner.getByText('need not be started again').waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await banner.waitFor({ timeout: PATIENCE_MS });
  const health = page.getByRole('list', { name: 'Health' });
  await health.getByText(words).waitFor({ timeout: PATIENCE_MS });
  expect(await page.getByText('Backstep does not answer.').count()).toBe(0);
  expect(await visitor.violations()).toEqual([]);
}
