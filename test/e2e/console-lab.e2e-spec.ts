import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, type Sight, Visitor } from '../browser/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const TITLE = 'Make go wrong: b';

describeInBrowser('the switches of the lab in the console', () => {
  const trial = new Trial('console-lab');
  let backstep: AppProcess;
  let api: Api;
  let browser: Browser;
  let visitor: Visitor;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const lab = (command: string, name: string) => ({
        module: 'lab',
        command,
        parameters: { name },
      });
      const steps = ['a', 'b', 'c'].map((name) => {
        return { name, normal: lab('effect', name), rollback: lab('undo_effect', name) };
      });
      const flows = await writeFlows(trial.folder, { ...PRACTICE_FLOWS, 'console-lab': { steps } });
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

  async function come(path: string, sight: Sight = {}): Promise<Visitor['page']> {
    visitor = await Visitor.open(browser, backstep.url, sight);
    await visitor.visit(path);
    return visitor.page;
  }

  function expectPeace(): void {
    const { complaints, strays } = visitor;
    expect({ complaints, strays }).toEqual({ complaints: [], strays: [] });
  }

  trial.it('show the way back by clicks alone, and are off again', async () => {
    const page = await come('/flows/console-lab');
    await visitor.seesNode('b');
    expect(await page.getByRole('radio').count()).toBe(0);
    const node = page.getByRole('button', { name: 'b', exact: true });
    await node.click();
    const group = page.getByRole('group', { name: TITLE });
    expect(await group.getByRole('radio').count()).toBe(5);
    await group.getByRole('radio', { name: 'Fail once' }).click();
    await page.getByText('Fails once').waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await visitor.seesNode('b, failed, undo succeeded');
    await visitor.seesNode('a, succeeded, undo succeeded');
    await page.getByRole('button', { name: 'b, failed, undo succeeded' }).click();
    await page.getByText('made to fail once by a switch of the lab').first().waitFor();
    await group.getByRole('radio', { name: 'Off', exact: true, checked: true }).waitFor();
    await page.getByText('Fails once').waitFor({ state: 'detached' });
    expect(await api.get('/modules/lab/faults')).toEqual({ items: [] });
    expectPeace();
  });

  trial.it('are reached by the keyboard, and told on the node', async () => {
    const page = await come('/flows/console-lab', { theme: 'dark', width: 360 });
    await visitor.seesNode('b');
    await page.getByRole('button', { name: 'b', exact: true }).focus();
    await page.keyboard.press('Enter');
    const group = page.getByRole('group', { name: TITLE });
    await group.getByRole('radio', { name: 'Off', exact: true }).focus();
    for (const name of ['Fail once', 'Fail always', 'Go slowly', 'Crash']) {
      await page.keyboard.press('ArrowDown');
      await group.getByRole('radio', { name, exact: true, checked: true }).waitFor();
    }
    await page.getByRole('button', { name: 'b', exact: true, description: 'Crashes' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    expectPeace();
  });

  trial.it(
    'have an executor crash: its attempt is made again, and has its effect once',
    async () => {
      await api.ask({
        method: 'PUT',
        path: '/modules/lab/faults/console-lab/b',
        body: { kind: 'crash' },
      });
      const taskId = await api.create('console-lab');
      const page = await come(`/tasks/${taskId}`);
      await visitor.seesNode('c, succeeded');
      const timeline = page.getByRole('list', { name: 'Timeline' });
      await timeline.getByText('lease lost').first().waitFor();
      const effects = await api.get<{ items: object[] }>(`/modules/lab/effects?taskId=${taskId}`);
      const each = { applied: 1, undone: 0 };
      expect(effects.items).toMatchObject([each, each, each]);
      expectPeace();
    },
  );
});
