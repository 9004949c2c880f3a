import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser, untilTrue, type Visitor } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS, type TaskView } from '../load/index.js';

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
  'console-fleet': [
    {
      name: 'each',
      foreach: {
        in: [1, 2],
        as: 'n',
        steps: [
          {
            normal: { module: 'lab', command: 'effect', parameters: { name: 'made' } },
            rollback: { module: 'lab', command: 'undo_effect', parameters: { name: 'made' } },
          },
        ],
      },
    },
  ],
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
  const stage = new ConsoleStage({ name: 'console', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('is small, and where the bare address leads', async () => {
    const visitor = await stage.invite();
    const sizes: Promise<number>[] = [];
    visitor.page.on('response', (response) => {
      if (!response.url().includes('/console')) return;
      sizes.push(response.headerValue('content-length').then(Number));
    });
    await visitor.page.goto(`${stage.backstep.url}/`);
    expect(visitor.page.url()).toBe(`${stage.backstep.url}/console/`);
    await visitor.page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await visitor.page.getByRole('searchbox', { name: 'Search tasks' }).waitFor();
    const sum = (await Promise.all(sizes)).reduce((all, size) => all + size, 0);
    expect(sum).toBeGreaterThan(10_000);
    expect(sum).toBeLessThan(FIRST_VIEW_MAX);
    stage.expectPeace();
  });

  trial.it('lists tasks as links, narrows them by words, and shows new ones', async () => {
    const { taskId } = await stage.api.run('lab-four-steps');
    await stage.api.run('lab-group');
    const page = await stage.come('/tasks');
    const table = page.getByRole('table', { name: 'Tasks' });
    const row = table.getByRole('link', { name: `lab-four-steps ${taskId}` });
    await row.waitFor();
    await page.getByRole('searchbox', { name: 'Search tasks' }).fill('flow:lab-four-steps');
    await table.getByRole('link', { name: /^lab-group / }).waitFor({ state: 'detached' });
    await row.waitFor();
    const { taskId: later } = await stage.api.run('lab-four-steps');
    await table.getByRole('link', { name: `lab-four-steps ${later}` }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('running');
    await page.getByText('No task fits.').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('flow:lab-four-steps status:running');
    stage.expectPeace();
  });

  trial.it('follows a failure, the way back, and what a person does about it', async () => {
    const page = await stage.come('/flows/lab-stuck');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await stage.visitor.seesNode('fail, failed');
    await stage.visitor.seesNode('stuck, succeeded, undo failed');
    await page.getByRole('status').filter({ hasText: 'lab-stuck: Rollback failed' }).waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('task rollback failed').first().waitFor();
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Skip' });
    await dialog.getByText('stuck counts as undone by hand.').waitFor();
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await dialog.getByText('Give a reason').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('undone by hand');
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await stage.visitor.seesNode('first, succeeded, undo succeeded');
    await page.getByRole('status').filter({ hasText: 'lab-stuck: Rolled back' }).waitFor();
    stage.expectPeace();
  });

  trial.it('acts on the task that its preview shows, where the page is behind', async () => {
    const { taskId } = await stage.api.run('lab-stuck');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('stuck, succeeded, undo failed');
    await page.route(`**/v1/tasks/${taskId}`, () => {});
    const { revision } = await stage.api.task(taskId);
    await stage.api.act(taskId, 'retry', { reason: 'once more' });
    const isStuck = ({ status }: TaskView): boolean => status === 'rollback_failed';
    await untilTask(stage.api, taskId, (task) => isStuck(task) && task.revision > revision + 2);
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Skip' });
    await dialog.getByText('stuck counts as undone by hand.').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('undone by hand');
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilTask(stage.api, taskId, ({ status }) => status === 'rolled_back');
    stage.expectPeace();
  });

  trial.it('rolls back what runs, with a preview, and tells how it goes', async () => {
    const taskId = await stage.api.create('lab-long');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('sleep, running');
    await page.getByRole('button', { name: 'Roll back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back' });
    await dialog.getByText('Running, to be called off: sleep.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'before: lab.undo_effect',
    ]);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('enough');
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await stage.visitor.seesNode('before, succeeded, undo succeeded');
    await page.getByRole('status').filter({ hasText: 'lab-long: Rolled back' }).waitFor();
    await page.getByRole('button', { name: 'before, succeeded, undo succeeded' }).click();
    await page.getByRole('heading', { name: 'Step: before' }).waitFor();
    stage.expectPeace();
  });

  trial.it('shows what child tasks undo, the last first, before it is done', async () => {
    const { taskId } = await stage.api.run('console-fleet');
    const page = await stage.come(`/tasks/${taskId}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo' });
    await dialog.getByRole('listitem').first().waitFor();
    const lines = await dialog.getByRole('listitem').allTextContents();
    const undo = expect.stringMatching(/^effect of task \S+: lab.undo_effect$/);
    expect(lines).toEqual([undo, undo]);
    await dialog.getByText('Nothing has to be undone.').waitFor({ state: 'detached' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('enough');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'console-fleet: Rolled back' }).waitFor();
    stage.expectPeace();
  });

  trial.it('starts a task with what its form asks for', async () => {
    const page = await stage.come('/flows/console-input');
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await page.getByRole('textbox', { name: /^size/ }).fill('many');
    await start.click();
    await page.getByText('size is not a number.').waitFor();
    await page.getByRole('textbox', { name: /^size/ }).fill('3');
    await page.getByRole('combobox', { name: /^kind/ }).selectOption('b');
    await page.getByRole('textbox', { name: /^Labels/ }).fill('team=payments');
    await start.click();
    await stage.visitor.seesNode('one, succeeded');
    const taskId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(await stage.api.task(taskId)).toMatchObject({
      parameters: { size: 3, kind: 'b' },
      labels: { team: 'payments' },
    });
    stage.expectPeace();
  });

  trial.it('says of a flow how it fared in its drills, and at which version', async () => {
    const path = '/v1/flows/console-input/versions/1/drill';
    const page = await stage.come('/flows/console-input');
    await page.getByText('Never drilled').waitFor();
    for (const [failures, words] of [
      [3, 'Drill failed: 3 of 33'],
      [0, 'Drilled'],
    ] as const) {
      const body = { failures, total: 33 };
      expect((await stage.api.ask({ method: 'PUT', path, body })).status).toBe(200);
      await stage.visitor.visit('/flows/console-input');
      await page.getByText(words, { exact: true }).waitFor();
      await stage.visitor.visit('/flows');
      const row = page.getByRole('row').filter({ hasText: 'console-input' });
      await row.getByText(words, { exact: true }).waitFor();
    }
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('shows hostile texts as texts', async () => {
    const body = { flow: 'console-hostile', labels: { team: HOSTILE }, parameters: {} };
    const answer = await stage.api.ask<{ taskId: string }>({ path: '/v1/tasks?wait=20s', body });
    const page = await stage.come(`/tasks/${answer.body.taskId}`);
    await stage.visitor.seesNode('fail, failed');
    await page.getByText(`team=${HOSTILE}`).waitFor();
    await stage.visitor.visit('/tasks?q=flow:console-hostile');
    await page.getByRole('cell', { name: `team=${HOSTILE}` }).waitFor();
    await stage.visitor.visit('/flows/console-hostile');
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    stage.expectPeace();
  });

  trial.it('is moved through by the keyboard alone', async () => {
    await stage.api.run('lab-succeed');
    const page = await stage.come('/');
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
    stage.expectPeace();
  });

  trial.it('takes a key that is pressed as soon as a dialog has closed', async () => {
    const page = await stage.come('/');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    // In one turn of the browser: it has not drawn the page without the dialog yet.
    await page.evaluate(`(() => {
      document.querySelector('dialog').close();
      for (const key of ['g', 'f']) {
        const place = document.activeElement ?? document.body;
        place.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      }
    })()`);
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    stage.expectPeace();
  });

  trial.it('keeps searches under names, in the address and in this browser', async () => {
    const page = await stage.come('/tasks?q=flow%3Alab-succeed');
    const views = page.getByRole('region', { name: 'Saved views' });
    await views.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Give it a name.').waitFor();
    await page.keyboard.type('On call');
    await page.keyboard.press('Enter');
    const view = views.getByRole('link', { name: 'On call' });
    await view.waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    const address = page.url();
    expect([...new URL(address).searchParams]).toEqual([
      ['q', 'flow:lab-succeed'],
      ['view', 'On call'],
    ]);
    await stage.visitor.visit('/tasks');
    await view.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
    // The address is there before the page is drawn again.
    await untilTrue(
      page,
      `document.querySelector('input[type=search]')?.value === 'flow:lab-succeed'`,
    );
    const other = await stage.come(new URL(address).href.split('/console')[1] ?? '');
    const shared = other.getByRole('region', { name: 'Saved views' });
    await shared.getByRole('link', { name: 'On call' }).waitFor();
    await shared.getByRole('button', { name: 'Save this view' }).waitFor();
    await views.getByRole('button', { name: 'Remove view On call' }).click();
    await views.getByRole('button', { name: 'Save this view' }).waitFor();
    await stage.visitor.visit('/tasks');
    stage.expectPeace();
  });

  trial.it('charts what became of tasks, and says which steps failed', async () => {
    await stage.api.run('lab-succeed');
    const { taskId } = await stage.api.run('lab-stuck');
    const page = await stage.come('/');
    const chart = page.getByRole('region', { name: 'Tasks by when they were created' });
    await chart.locator('canvas').waitFor();
    const counted = await stage.api.get<{ counts: Record<string, number> }>(
      '/v1/tasks:count?q=age:<1h',
    );
    const sum = `${counted.counts['succeeded']} Succeeded`;
    await chart.getByRole('listitem').filter({ hasText: sum }).waitFor();
    await chart.getByText('As a table').click();
    const rows = chart.getByRole('table').getByRole('row');
    expect(await rows.count()).toBeGreaterThan(1);
    expect(await stage.visitor.violations()).toEqual([]);
    await page.getByRole('combobox', { name: 'Time' }).selectOption('15m');
    const failing = page.getByRole('list', { name: 'Failing steps' });
    await failing.getByRole('link', { name: /^lab-stuck: / }).waitFor();
    await failing.locator(`a[href$="${taskId}"]`).click();
    await stage.visitor.seesNode('fail, failed');
    stage.expectPeace();
  });

  trial.it('is for everybody, in light colours', async () => {
    const { taskId } = await stage.api.run('lab-group-undone');
    await stage.come(`/tasks/${taskId}`, { theme: 'light' });
    await expectForEverybody(stage.visitor, 1_280);
    stage.expectPeace();
  });

  trial.it('is for everybody, in dark colours on a narrow screen', async () => {
    const { taskId } = await stage.api.run('lab-group-undone');
    await stage.come(`/tasks/${taskId}`, { theme: 'dark', width: 360 });
    await expectForEverybody(stage.visitor, 360);
    stage.expectPeace();
  });

  trial.it('finds who holds a lock in three clicks, and who waits for it', async () => {
    const taskId = await stage.api.create('console-lock');
    await untilTask(stage.api, taskId, isAt('slow'));
    const other = await stage.api.create('console-lock');
    const page = await stage.come('/');
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('link', { name: 'Locks' }).click();
    const line = page.getByRole('list', { name: 'Waiting for console-fleet' });
    await line.getByRole('link', { name: other }).waitFor();
    const holders = page.getByRole('list', { name: 'Holders of console-fleet' });
    await holders.getByRole('link', { name: taskId }).click();
    await stage.visitor.seesNode('slow, running');
    for (const id of [other, taskId])
      await stage.api.act(id, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });

  trial.it('shows who serves which module, and who did what', async () => {
    const page = await stage.come('/executors');
    const executors = page.getByRole('table', { name: 'Executors' });
    await executors.getByRole('row', { name: /^lab .* succeed, fail,/ }).waitFor();
    await stage.visitor.visit('/audit');
    const taskId = await stage.api.create('lab-long');
    await stage.api.act(taskId, 'terminate', { reason: 'for the audit' });
    const row = page
      .getByRole('table', { name: 'Audit' })
      .getByRole('row', { name: /:terminate .* done for the audit$/ });
    await row.getByRole('link', { name: taskId }).waitFor();
    stage.expectPeace();
  });

  trial.it('shows which flow files are broken, and where, until they are mended', async () => {
    const page = await stage.come('/flows');
    await page.getByRole('table', { name: 'Flows' }).waitFor();
    const file = path.join(trial.folder, 'flow-configs', 'm3.json');
    await writeFile(file, `{\n  "vm3": [{"normal": {"module": ${JSON.stringify(HOSTILE)}}}]\n}`);
    const broken = page.getByRole('region', { name: 'Broken flow files' });
    await broken.getByText(/^m3\.json:2:\d+ .*command/).waitFor();
    await rm(file);
    await broken.waitFor({ state: 'detached' });
    stage.expectPeace();
  });

  trial.it('shows what is started by the clock, pauses it and starts it by hand', async () => {
    const path = '/v1/schedules/console-nightly';
    const schedule = { flow: 'lab-succeed', cron: '0 0 29 2 *' };
    expect(await stage.api.ask({ method: 'PUT', path, body: schedule })).toMatchObject({
      status: 201,
    });
    const page = await stage.come('/schedules');
    const act = async (words: string): Promise<void> => {
      await page.getByRole('button', { name: `${words} console-nightly` }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('seen enough');
      await dialog.getByRole('button', { name: words }).click();
    };
    await act('Pause');
    await page.getByRole('cell', { name: 'paused' }).waitFor();
    expect(await stage.api.get(path)).toMatchObject({ pause: { reason: 'seen enough' } });
    await act('Resume');
    await page.getByRole('button', { name: 'Pause console-nightly' }).waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    await act('Trigger');
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'lab-succeed' }).waitFor();
    const { lastRun } = await stage.api.get<{ lastRun: { taskId: string } }>(path);
    expect(page.url()).toContain(lastRun.taskId);
    stage.expectPeace();
  });

  trial.it('writes a notification, tries it, shows its messages and removes it', async () => {
    const page = await stage.come('/notifications');
    await page.getByRole('button', { name: 'New notification' }).click();
    await page.getByLabel('Name').fill('console-on-call');
    await page.getByLabel('A task is on hold').check();
    await page.getByLabel('URL').fill('http://127.0.0.1:9/in');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Test console-on-call' }).click();
    await page.getByText('BACKSTEP_HTTP_ALLOW does not list it').first().waitFor();
    await page.getByRole('button', { name: 'Messages console-on-call' }).click();
    const log = page.getByRole('table', { name: 'Messages console-on-call' });
    const failed = log.getByRole('cell', { name: 'failed', exact: true });
    await failed.waitFor();
    await log.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('status').filter({ hasText: 'Send again: done' }).waitFor();
    await failed.waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    const path = '/v1/notifications/console-on-call';
    const channel = { type: 'webhook', url: 'http://127.0.0.1:9/***' };
    expect(await stage.api.get(path)).toMatchObject({ on: ['failed', 'held'], channel });
    const close = page.getByRole('region', { name: 'Messages console-on-call' });
    await close.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove console-on-call' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    const own = page.getByRole('cell', { name: 'console-on-call', exact: true });
    await own.waitFor({ state: 'detached' });
    stage.expectPeace();
  });

  // Last: what comes of a gateway that stays away is told once.
  trial.it('goes on by itself after the gateway was gone', async () => {
    const taskId = await stage.api.create('lab-long');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('sleep, running');
    await stage.backstep.kill();
    const notice = page.getByText('Backstep does not answer.');
    await notice.waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('lab-long');
    await stage.backstep.start();
    await notice.waitFor({ state: 'detached' });
    await stage.api.act(taskId, 'rollback', { reason: 'seen enough' });
    await untilTask(stage.api, taskId);
    await page.getByRole('status').filter({ hasText: 'lab-long: Rolled back' }).waitFor();
    await page.getByRole('list', { name: 'Timeline' }).getByText('task rolled back').waitFor();
    const events = await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').count();
    expect(events).toBe((await stage.api.events(taskId)).length);
    expect(stage.visitor.strays).toEqual([]);
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
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    expect([path, await visitor.violations()]).toEqual([path, []]);
    expect([path, await page.getByRole('heading', { level: 1 }).count()]).toEqual([path, 1]);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect([path, wide]).toEqual([path, width]);
  }
}
