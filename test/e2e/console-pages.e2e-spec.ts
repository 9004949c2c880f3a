import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

/** Entries of the audit log; a page has 100. */
const BUSY = 105;

const FLOWS = {
  ...PRACTICE_FLOWS,
  'pages-unserved': { steps: [{ name: 'far', normal: { module: 'elsewhere', command: 'do' } }] },
  'pages-no-command': { steps: [{ name: 'new', normal: { module: 'lab', command: 'juggle' } }] },
  'pages-long': {
    steps: [
      {
        name: 'drain-host',
        normal: { module: 'lab', command: 'sleep', parameters: { ms: 600_000 } },
      },
    ],
  },
  'pages-asks': { steps: [{ name: 'ask', approve: { title: 'May this go out?' } }] },
  'pages-input': {
    input: {
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 1 }, kind: { type: 'string', maxLength: 3 } },
      additionalProperties: false,
    },
    steps: [{ name: 'one', normal: { module: 'lab', command: 'succeed' } }],
  },
};

describeInBrowser('the pages beside those of tasks', () => {
  const stage = new ConsoleStage({ name: 'console-pages', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('counts what was started, and says which modules nobody serves', async () => {
    await stage.api.run('lab-succeed');
    const page = await stage.come('/');
    const health = page.getByRole('list', { name: 'Health' });
    await health.getByText('No executor has lab.juggle').waitFor();
    const chart = page.getByRole('region', { name: 'Tasks by when they were created' });
    await chart
      .getByRole('listitem')
      .filter({ hasText: /^1 Started$/ })
      .waitFor();
    const modules = page.getByRole('table', { name: 'Executors by module' });
    const unserved = modules.getByRole('row', { name: /^elsewhere 0 .*Nobody serves it/ });
    await unserved.getByRole('link', { name: 'pages-unserved' }).waitFor();
    await modules.getByRole('row', { name: /^lab 1 .*0 \/ \d+$/ }).waitFor();
    expect(await modules.getByRole('rowheader').first().textContent()).toBe('elsewhere');
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('says which modules and commands no executor has', async () => {
    const page = await stage.come('/executors');
    const named = (what: string) => page.getByRole('alert').filter({ hasText: what });
    const far = named('elsewhere: Nobody serves it.');
    await far.getByRole('link', { name: 'pages-unserved' }).waitFor();
    const newer = named('lab.juggle: No executor of its module has it.');
    await newer.getByRole('link', { name: 'pages-no-command' }).waitFor();
    await page.getByRole('table', { name: 'Executors' }).getByText('raise_alert').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('sets, changes and removes the limits of a module', async () => {
    const page = await stage.come('/executors');
    const limits = page.getByRole('region', { name: 'Limits of modules' });
    await limits.getByText('No module has limits.').waitFor();
    await limits.getByRole('button', { name: 'Set limits' }).click();
    const dialog = page.getByRole('dialog');
    const most = dialog.getByRole('textbox', { name: /^Most actions at a time/ });
    await dialog.getByRole('textbox', { name: 'Module' }).fill('lab');
    await most.fill('many');
    await page.keyboard.press('Enter');
    await dialog.getByText('`maxConcurrency` is a whole number from 1 to 1000.').waitFor();
    await most.fill('400');
    await page.keyboard.press('Enter');
    await limits.getByRole('row', { name: /^lab 0 of 400 any number 0 / }).waitFor();
    await page.getByRole('table', { name: 'Executors' }).getByText('0 of 400').first().waitFor();
    await limits.getByRole('button', { name: 'Change limits of lab' }).click();
    // Another person was faster, and nothing of that is overwritten.
    const body = { maxConcurrency: 300 };
    await stage.api.ask({ method: 'PUT', path: '/v1/limits/lab', body });
    await most.fill('200');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'generation 2' }).waitFor();
    await page.keyboard.press('Escape');
    await limits.getByRole('row', { name: /^lab 0 of 300 / }).waitFor();
    await limits.getByRole('button', { name: 'Remove limits of lab' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await limits.getByText('No module has limits.').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    expectRefusals(stage.visitor);
  });

  trial.it('lists what runs now, and finds it by executor, step and age', async () => {
    const taskId = await stage.api.create('pages-long');
    await untilTask(stage.api, taskId, isAt('drain-host'));
    const page = await stage.come('/executors');
    const running = page.getByRole('table', { name: 'What runs now' });
    const row = running.getByRole('row').filter({ hasText: 'drain-host' });
    await row.getByRole('link', { name: `pages-long ${taskId}` }).waitFor();
    const search = page.getByRole('search', { name: 'Find what runs' });
    const nothing = page.getByText('Nothing that fits runs now.');
    await search.getByRole('combobox', { name: 'Runs for' }).selectOption('1d');
    await nothing.waitFor();
    expect(new URL(page.url()).search).toBe('?age=1d');
    await search.getByRole('button', { name: 'Clear' }).click();
    await search.getByRole('textbox', { name: 'Step' }).fill('drain-host');
    await page.keyboard.press('Enter');
    const ofOne = row.getByRole('link').last();
    const instance = await ofOne.textContent();
    await ofOne.click();
    await page.waitForURL((url) => url.searchParams.get('executor') === instance);
    await row.getByRole('link', { name: `pages-long ${taskId}` }).click();
    await page.getByRole('heading', { level: 1, name: /pages-long/ }).waitFor();
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });

  trial.it('counts a task that asks a person once, wherever it counts', async () => {
    const taskId = await stage.api.create('pages-asks');
    const page = await stage.come('/');
    const main = page.getByRole('main');
    await main.getByRole('link', { name: /^1 Waits for a person$/ }).waitFor();
    await main.getByRole('link', { name: /^0 In progress$/ }).waitFor();
    const chart = main.getByRole('region', { name: 'Tasks by when they were created' });
    for (const text of [/^1 Waits for a person$/, /^0 In progress$/]) {
      await chart.getByRole('listitem').filter({ hasText: text }).waitFor();
    }
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });

  trial.it('finds who terminated what on a busy day', async () => {
    const as = (actor: string) => ({ 'x-backstep-actor': actor });
    const taskId = await stage.api.create('lab-long');
    const path = `/v1/tasks/${taskId}`;
    const terminate = { path: `${path}:terminate`, body: { reason: 'by mistake' } };
    await stage.api.ask({ ...terminate, headers: as('mallory') });
    // More than a page of others since.
    for (let n = 0; n < BUSY; n += 1) {
      const pause = { path: `${path}:pause`, body: { reason: `no ${n}` }, headers: as('ann') };
      expect((await stage.api.ask(pause)).status).toBe(409);
    }
    const page = await stage.come('/audit');
    const table = page.getByRole('table', { name: 'Audit' });
    const ofMallory = table.getByRole('row', { name: /mallory .*:terminate .*by mistake$/ });
    await table.getByRole('row', { name: /ann .*:pause .*no 104$/ }).waitFor();
    expect(await ofMallory.count()).toBe(0);
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await ofMallory.waitFor();
    const search = page.getByRole('search', { name: 'Find entries' });
    await search.getByRole('textbox', { name: /^What/ }).fill(':Terminate');
    await search.getByRole('textbox', { name: /^Where/ }).fill(taskId);
    await page.keyboard.press('Enter');
    await table
      .getByRole('row', { name: /:pause/ })
      .first()
      .waitFor({ state: 'detached' });
    await ofMallory.getByRole('link', { name: taskId }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    expect([...new URL(page.url()).searchParams]).toEqual([
      ['operation', ':Terminate'],
      ['target', taskId],
    ]);
    expect(await stage.visitor.violations()).toEqual([]);
    await page.reload();
    await ofMallory.waitFor();
    await search.getByRole('button', { name: 'Clear' }).click();
    await table
      .getByRole('row', { name: /:pause/ })
      .first()
      .waitFor();
    stage.expectPeace();
  });

  trial.it('says at each field of a start form what is wrong with it', async () => {
    const page = await stage.come('/flows/pages-input');
    const [size, kind, labels] = [/^size/, /^kind/, /^Labels/].map((name) =>
      page.getByRole('textbox', { name }),
    );
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await size!.fill('many');
    await labels!.fill('team');
    await start.click();
    await page.getByRole('alert').filter({ hasText: '2 fields need a correction.' }).waitFor();
    expect(await size!.getAttribute('aria-invalid')).toBe('true');
    expect(await descriptionOf(page, size!)).toContain('size is not a number.');
    // The gateway refuses both; the first of them is led to.
    await size!.fill('0');
    await kind!.fill('long');
    await labels!.fill('');
    await start.click();
    await page.getByText('`size` must be at least 1.').waitFor();
    expect(await descriptionOf(page, kind!)).toMatch(/`kind` .*3/);
    expect(await size!.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
      true,
    );
    expect(await labels!.getAttribute('aria-invalid')).toBeNull();
    expect(await stage.visitor.violations()).toEqual([]);
    expectRefusals(stage.visitor);
  });

  trial.it('adds a schedule, and replaces none of that name', async () => {
    const path = '/v1/schedules/pages-nightly';
    const page = await stage.come('/schedules', { zone: 'Asia/Tokyo' });
    const add = page.getByRole('button', { name: 'New schedule' });
    const dialog = page.getByRole('dialog', { name: 'New schedule' });
    const field = (name: string | RegExp) => dialog.getByRole('textbox', { name });
    await add.click();
    await field('Name').fill('pages-nightly');
    await field(/^Flow/).fill('lab-succeed');
    await field('Cron expression').fill('30 2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('`cron` has five fields or six.').waitFor();
    expect(await field('Cron expression').getAttribute('aria-invalid')).toBe('true');
    await field('Cron expression').fill('30 2 29 2 *');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^pages-nightly lab-succeed/ }).waitFor();
    expect(await stage.api.get(path)).toMatchObject({
      cron: '30 2 29 2 *',
      timezone: 'Asia/Tokyo',
      generation: 1,
    });
    await add.click();
    await field('Name').fill('pages-nightly');
    await field(/^Flow/).fill('lab-succeed');
    await dialog.getByRole('combobox', { name: 'When' }).selectOption('Interval');
    await field('Interval').fill('1h');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'There is a schedule' }).waitFor();
    expect(await stage.api.get(path)).toMatchObject({ generation: 1 });
    expectRefusals(stage.visitor);
  });
});

/** The description of a field for assistive technology. */
async function descriptionOf(page: Page, field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
  return texts.join(' ');
}

/** Browsers complain of requests that are refused; of nothing else. */
function expectRefusals({ complaints, strays }: Visitor): void {
  expect(complaints.filter((text) => !/status of 4(?:00|12|22)/.test(text))).toEqual([]);
  expect(strays).toEqual([]);
}
