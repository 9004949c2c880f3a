import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, type Sight, Visitor, openBrowser } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const HOSTILE = '<img src=x onerror="alert(1)">';
const succeed = { module: 'lab', command: 'succeed' };

const FLOWS = {
  ...PRACTICE_FLOWS,
  'console-hostile': {
    description: HOSTILE,
    steps: [
      {
        name: 'fail',
        normal: {
          module: 'lab',
          command: 'fail',
          parameters: { kind: 'terminal', message: HOSTILE },
        },
      },
    ],
  },
  'console-lock': {
    locks: [{ name: 'console-fleet' }],
    steps: [
      { name: 'slow', normal: { module: 'lab', command: 'sleep', parameters: { ms: 3_600_000 } } },
    ],
  },
  'console-input': {
    input: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 1 }, kind: { enum: ['a', 'b'] } },
      additionalProperties: false,
    },
    steps: [{ name: 'one', normal: succeed }],
  },
};

/** Most bytes, as they are sent, until the list of tasks stands. */
const FIRST_VIEW_MAX = 200 * 1_024;

describeInBrowser('the console', () => {
  const trial = new Trial('console');
  let backstep: AppProcess;
  let api: Api;
  let browser: Browser;
  let visitor: Visitor;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const flows = await writeFlows(trial.folder, FLOWS);
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

  /** Nothing went wrong in the browser, and it asked nobody else. */
  function expectPeace(): void {
    expect({ complaints: visitor.complaints, strays: visitor.strays }).toEqual({
      complaints: [],
      strays: [],
    });
  }

  trial.it('is small, and where the bare address leads', async () => {
    visitor = await Visitor.open(browser, backstep.url);
    const sizes: Promise<number>[] = [];
    visitor.page.on('response', (response) => {
      if (!response.url().includes('/console')) return;
      sizes.push(response.headerValue('content-length').then(Number));
    });
    await visitor.page.goto(`${backstep.url}/`);
    expect(visitor.page.url()).toBe(`${backstep.url}/console/`);
    await visitor.page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await visitor.page.getByRole('searchbox', { name: 'Search tasks' }).waitFor();
    const sum = (await Promise.all(sizes)).reduce((all, size) => all + size, 0);
    expect(sum).toBeGreaterThan(10_000);
    expect(sum).toBeLessThan(FIRST_VIEW_MAX);
    expectPeace();
  });

  trial.it('lists tasks as links, narrows them by words, and shows new ones', async () => {
    const { taskId } = await api.run('lab-four-steps');
    await api.run('lab-group');
    const page = await come('/tasks');
    const table = page.getByRole('table', { name: 'Tasks' });
    const row = table.getByRole('link', { name: `lab-four-steps ${taskId}` });
    await row.waitFor();
    await page.getByRole('searchbox', { name: 'Search tasks' }).fill('flow:lab-four-steps');
    await table.getByRole('link', { name: /^lab-group / }).waitFor({ state: 'detached' });
    await row.waitFor();
    const { taskId: later } = await api.run('lab-four-steps');
    await table.getByRole('link', { name: `lab-four-steps ${later}` }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('running');
    await page.getByText('No task fits.').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('flow:lab-four-steps status:running');
    expectPeace();
  });

  trial.it('follows a failure, the way back, and what a person does about it', async () => {
    const page = await come('/flows/lab-stuck');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await visitor.seesNode('fail, failed');
    await visitor.seesNode('stuck, succeeded, undo failed');
    await page.getByRole('status').filter({ hasText: 'lab-stuck: Rollback failed' }).waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('task rollback failed').first().waitFor();
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Skip' });
    await dialog.getByText('stuck counts as undone by hand.').waitFor();
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await dialog.getByText('Say why').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('undone by hand');
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await visitor.seesNode('first, succeeded, undo succeeded');
    await page.getByRole('status').filter({ hasText: 'lab-stuck: Rolled back' }).waitFor();
    expectPeace();
  });

  trial.it('rolls back what runs, with a preview, and tells how it goes', async () => {
    const taskId = await api.create('lab-long');
    const page = await come(`/tasks/${taskId}`);
    await visitor.seesNode('sleep, running');
    await page.getByRole('button', { name: 'Roll back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back' });
    await dialog.getByText('Running, to be called off: sleep.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'before: lab.undo_effect',
    ]);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('enough');
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await visitor.seesNode('before, succeeded, undo succeeded');
    await page.getByRole('status').filter({ hasText: 'lab-long: Rolled back' }).waitFor();
    await page.getByRole('button', { name: 'before, succeeded, undo succeeded' }).click();
    await page.getByRole('heading', { name: 'Step: before' }).waitFor();
    expectPeace();
  });

  trial.it('starts a task with what its form asks for', async () => {
    const page = await come('/flows/console-input');
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await page.getByRole('textbox', { name: /^size/ }).fill('many');
    await start.click();
    await page.getByText('size is not a number.').waitFor();
    await page.getByRole('textbox', { name: /^size/ }).fill('3');
    await page.getByRole('combobox', { name: /^kind/ }).selectOption('b');
    await page.getByRole('textbox', { name: /^Labels/ }).fill('team=payments');
    await start.click();
    await visitor.seesNode('one, succeeded');
    const taskId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(await api.task(taskId)).toMatchObject({
      parameters: { size: 3, kind: 'b' },
      labels: { team: 'payments' },
    });
    expectPeace();
  });

  trial.it('shows hostile texts as texts', async () => {
    const body = { flow: 'console-hostile', labels: { team: HOSTILE }, parameters: {} };
    const answer = await api.ask<{ taskId: string }>({ path: '/v1/tasks?wait=20s', body });
    const page = await come(`/tasks/${answer.body.taskId}`);
    await visitor.seesNode('fail, failed');
    await page.getByText(`team=${HOSTILE}`).waitFor();
    await visitor.visit('/tasks?q=flow:console-hostile');
    await page.getByRole('cell', { name: `team=${HOSTILE}` }).waitFor();
    await visitor.visit('/flows/console-hostile');
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expectPeace();
  });

  trial.it('is moved through by the keyboard alone', async () => {
    const page = await come('/');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await page.getByRole('table', { name: 'Tasks' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Timeline' }).waitFor();
    expect(page.url()).toMatch(/\/console\/tasks\/[\da-f-]{36}$/);
    expectPeace();
  });

  trial.it('is for everybody, in light colours', async () => {
    const { taskId } = await api.run('lab-group-undone');
    await come(`/tasks/${taskId}`, { theme: 'light' });
    await expectForEverybody(visitor, 1_280);
    expectPeace();
  });

  trial.it('is for everybody, in dark colours on a narrow screen', async () => {
    const { taskId } = await api.run('lab-group-undone');
    await come(`/tasks/${taskId}`, { theme: 'dark', width: 360 });
    await expectForEverybody(visitor, 360);
    expectPeace();
  });

  trial.it('finds who holds a lock in three clicks, and who waits for it', async () => {
    const taskId = await api.create('console-lock');
    await untilTask(api, taskId, isAt('slow'));
    const other = await api.create('console-lock');
    const page = await come('/');
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('link', { name: 'Locks' }).click();
    const line = page.getByRole('list', { name: 'Waiting for console-fleet' });
    await line.getByRole('link', { name: other }).waitFor();
    const holders = page.getByRole('list', { name: 'Holders of console-fleet' });
    await holders.getByRole('link', { name: taskId }).click();
    await visitor.seesNode('slow, running');
    for (const id of [other, taskId]) await api.act(id, 'terminate', { reason: 'seen enough' });
    expectPeace();
  });

  trial.it('shows who serves which module, and who did what', async () => {
    const page = await come('/executors');
    const executors = page.getByRole('table', { name: 'Executors' });
    await executors.getByRole('row', { name: /^lab .* succeed, fail,/ }).waitFor();
    await visitor.visit('/audit');
    const taskId = await api.create('lab-long');
    await api.act(taskId, 'terminate', { reason: 'for the audit' });
    const row = page.getByRole('table', { name: 'Audit' }).getByRole('row', {
      name: /:terminate .* done for the audit$/,
    });
    await row.getByRole('link', { name: taskId }).waitFor();
    expectPeace();
  });

  trial.it('shows what is started by the clock, pauses it and starts it by hand', async () => {
    const path = '/v1/schedules/console-nightly';
    const schedule = { flow: 'lab-succeed', cron: '0 0 29 2 *' };
    expect(await api.ask({ method: 'PUT', path, body: schedule })).toMatchObject({ status: 201 });
    const page = await come('/schedules');
    const act = async (words: string): Promise<void> => {
      await page.getByRole('button', { name: `${words} console-nightly` }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('seen enough');
      await dialog.getByRole('button', { name: words }).click();
    };
    await act('Pause');
    await page.getByRole('cell', { name: 'paused' }).waitFor();
    expect(await api.get(path)).toMatchObject({ pause: { reason: 'seen enough' } });
    await act('Resume');
    await page.getByRole('button', { name: 'Pause console-nightly' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await act('Trigger');
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'lab-succeed' }).waitFor();
    const { lastRun } = await api.get<{ lastRun: { taskId: string } }>(path);
    expect(page.url()).toContain(lastRun.taskId);
    expectPeace();
  });

  trial.it('writes a notification, tries it, shows its messages and removes it', async () => {
    const page = await come('/notifications');
    await page.getByRole('button', { name: 'New notification' }).click();
    await page.getByLabel('Name').fill('console-on-call');
    await page.getByLabel('A task is on hold').check();
    await page.getByLabel('URL').fill('http://127.0.0.1:9/in');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Test console-on-call' }).click();
    await page.getByText('BACKSTEP_HTTP_ALLOW does not list it').first().waitFor();
    await page.getByRole('button', { name: 'Messages console-on-call' }).click();
    const log = page.getByRole('table', { name: 'Messages console-on-call' });
    await log.getByRole('cell', { name: 'failed', exact: true }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    const path = '/v1/notifications/console-on-call';
    const channel = { type: 'webhook', url: 'http://127.0.0.1:9/***' };
    expect(await api.get(path)).toMatchObject({ on: ['failed', 'held'], channel });
    const close = page.getByRole('region', { name: 'Messages console-on-call' });
    await close.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove console-on-call' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    const own = page.getByRole('cell', { name: 'console-on-call', exact: true });
    await own.waitFor({ state: 'detached' });
    expectPeace();
  });

  // Last: what comes of a gateway that stays away is told once.
  trial.it('goes on by itself after the gateway was gone', async () => {
    const taskId = await api.create('lab-long');
    const page = await come(`/tasks/${taskId}`);
    await visitor.seesNode('sleep, running');
    await backstep.kill();
    const notice = page.getByText('Backstep does not answer.');
    await notice.waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('lab-long');
    await backstep.start();
    await notice.waitFor({ state: 'detached' });
    await api.act(taskId, 'rollback', { reason: 'seen enough' });
    await untilTask(api, taskId);
    await page.getByRole('status').filter({ hasText: 'lab-long: Rolled back' }).waitFor();
    await page.getByRole('list', { name: 'Timeline' }).getByText('task rolled back').waitFor();
    const events = await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').count();
    expect(events).toBe((await api.events(taskId)).length);
    expect(visitor.strays).toEqual([]);
  });
});

const PAGES = [
  '/',
  '/tasks',
  '/inbox',
  '/flows',
  '/flows/lab-group',
  '/executors',
  '/schedules',
  '/notifications',
];
const MORE_PAGES = ['/locks', '/operations', '/audit', '/login', '/nowhere'];

/** Every page, beginning with the task that is open: nothing in the way of anybody. */
async function expectForEverybody(visitor: Visitor, width: number): Promise<void> {
  const { page } = visitor;
  await visitor.seesNode('fail, failed');
  expect(await visitor.violations()).toEqual([]);
  await page.getByRole('button', { name: 'Reset' }).click();
  expect(await visitor.violations()).toEqual([]);
  for (const path of [...PAGES, ...MORE_PAGES]) {
    await visitor.visit(path);
    await page.getByText('Loading…').waitFor({ state: 'detached' });
    expect([path, await visitor.violations()]).toEqual([path, []]);
    expect([path, await page.getByRole('heading', { level: 1 }).count()]).toEqual([path, 1]);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect([path, wide]).toEqual([path, width]);
  }
}
