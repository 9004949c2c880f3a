import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, Visitor } from '../browser/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const LISTS = /\/v1\/tasks\?/;
const CHANGES = /\/v1\/events/;

describeInBrowser('lists of the console', () => {
  const trial = new Trial('console-live');
  let backstep: AppProcess;
  let api: Api;
  let browser: Browser;
  let visitor: Visitor;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const flows = await writeFlows(trial.folder, PRACTICE_FLOWS);
      const settings = { ...WAITS.followSoon, flows };
      backstep = await planStandalone({ folder: trial.folder, settings });
      trial.use({ stop: () => backstep.kill() });
      browser = await openBrowser();
      trial.use({ stop: () => browser.close() });
      await backstep.start();
      api = new Api(backstep.url);
    }),
  );
  afterEach(() => visitor.close());
  afterAll(() => trial.close());

  /** The page once its lists were asked for and it listens to changes. */
  async function come(path: string): Promise<Visitor['page']> {
    visitor = await Visitor.open(browser, backstep.url);
    const listening = visitor.page.waitForResponse(CHANGES);
    await visitor.visit(path);
    await listening;
    return visitor.page;
  }

  trial.it('follow what happens by the stream of changes, and ask for nothing', async () => {
    await api.run('lab-four-steps');
    const page = await come('/');
    const newest = page.getByRole('table', { name: 'Newest tasks' });
    await newest.getByRole('link', { name: 'lab-four-steps' }).first().waitFor();
    await page.route(LISTS, (route) => route.abort());
    const waiting = await api.create('lab-approve');
    const link = page.getByRole('link', { name: `lab-approve ${waiting}` });
    const row = newest.getByRole('row').filter({ has: link });
    await row.waitFor();
    expect((await api.act(waiting, 'terminate', { reason: 'a test' })).status).toBe(200);
    await row.getByText(/terminated/i).waitFor();
  });

  trial.it('ask again and again where there is no stream', async () => {
    visitor = await Visitor.open(browser, backstep.url);
    const { page } = visitor;
    await page.route(CHANGES, (route) => route.abort());
    await visitor.visit('/tasks');
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.getByRole('link').first().waitFor();
    const { taskId } = await api.run('lab-four-steps');
    await table.getByRole('link', { name: `lab-four-steps ${taskId}` }).waitFor();
  });

  trial.it('ask at once where only the server knows what belongs to them', async () => {
    const page = await come('/tasks?q=flow%3Alab-group');
    const table = page.getByRole('table', { name: 'Tasks' });
    const { taskId } = await api.run('lab-group');
    await table.getByRole('link', { name: `lab-group ${taskId}` }).waitFor();
    expect(await table.getByRole('link', { name: /^lab-four-steps/ }).count()).toBe(0);
  });
});
