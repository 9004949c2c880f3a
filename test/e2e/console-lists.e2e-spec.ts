import { expect, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, untilTrue } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(300_000);

const WORD = 'w'.repeat(2_000);
/** Characters of a question that lists have. */
const ASKED_MAX = 300;
const NAME = 'n'.repeat(60);
const TURNED = 'Pay 10 EUR to \u202eeveryone ton od\u202c bob\u200b';
const TURNS = /[\u200b\u202a-\u202e\u2066-\u2069]/;
const WIDTHS = [1_440, 1_024, 390];
const QUESTIONS = Array.from({ length: 6 }, (_, n) => `May door ${n} be opened?`);
const asks = (title: string) => ({ steps: [{ name: 'ask', approve: { title } }] });
const fails = { module: 'lab', command: 'fail', parameters: { kind: 'terminal', message: WORD } };
const succeeds = { module: 'lab', command: 'succeed' };
const FLOWS = {
  ...PRACTICE_FLOWS,
  'lists-long': asks(WORD),
  'lists-turned': asks(TURNED),
  'lists-hebrew': asks('האם לאשר את זה?'),
  [`lists-${NAME}`]: {
    locks: [{ name: `lock-${NAME}` }],
    steps: [
      { name: NAME, normal: succeeds, rollback: fails },
      { name: 'breaks', normal: fails },
    ],
  },
  'lists-held': { onFailure: 'hold', steps: [{ name: NAME, normal: fails }] },
  'lists-parent': { steps: [{ name: 'each', foreach: { in: [1], as: 'n', flow: 'lab-succeed' } }] },
  ...Object.fromEntries(QUESTIONS.map((title, n) => [`lists-door-${n}`, asks(title)])),
};
const PAGES = ['/', '/tasks', '/inbox', '/flows', '/locks', '/schedules', '/notifications'];
const MORE_PAGES = ['/operations', '/audit', '/executors', `/flows/lists-${NAME}`];

/** Controls of the page that reach beyond the window, and the page where it is wider. */
const OUT_OF_VIEW = `(() => {
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  const out = [...document.querySelectorAll('main :is(a, button, input, select)')].filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 1 && (left < -1 || right > window.innerWidth + 1);
  });
  return [...(wide ? ['the page'] : []), ...out.map((each) => each.outerHTML.slice(0, 120))];
})()`;

/** Half of what counts as good. */
const SHIFT_MAX = 0.05;
/** How far the parts of the page have moved since it was opened. */
const NOTE_SHIFTS = `window.shift = 0;
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shift += value;
}).observe({ type: 'layout-shift', buffered: true });`;

/** Goes on towards the end of the list; whether a row is there that the first page has not. */
const SCROLLED = `window.scrollTo(0, document.documentElement.scrollHeight),
document.querySelector('tr[data-index="110"]') !== null`;

const FOCUSED = 'document.activeElement.getAttribute("aria-label")';

describeInBrowser('lists of what people write', () => {
  const stage = new ConsoleStage({ name: 'console-lists', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();
  let filling: Promise<void> | undefined;

  /** Fills each list with the longest words that its interface takes, once. */
  async function fill(): Promise<void> {
    const { api } = stage;
    const labels = { ticket: NAME, turned: 'a\u202eb' };
    for (const flow of ['lists-long', 'lists-turned', 'lists-hebrew', 'lists-held']) {
      await api.ask({ path: '/v1/tasks', body: { flow, labels } });
    }
    await api.run(`lists-${NAME}`);
    const schedule = { flow: 'lab-succeed', every: '1h' };
    await api.ask({ method: 'PUT', path: `/v1/schedules/${NAME}`, body: schedule });
    const reason = 'r'.repeat(900);
    await api.ask({ path: `/v1/schedules/${NAME}:pause`, body: { reason } });
    const channel = { type: 'webhook', url: `http://127.0.0.1:9/${'u'.repeat(900)}` };
    const rule = { on: ['failed'], channel };
    await api.ask({ method: 'PUT', path: `/v1/notifications/${NAME}`, body: rule });
    const act = { action: 'pause', q: `text:${'q'.repeat(200)}`, reason };
    await api.ask({ path: '/v1/operations', body: act });
  }

  const filled = (): Promise<void> => (filling ??= fill());

  const question = (page: Page, title: string) =>
    page.getByRole('button', { name: `Approve: ${title}`, exact: true });

  trial.it('keeps every control in view, however long the words', async () => {
    await filled();
    for (const width of WIDTHS) {
      const visitor = await stage.invite({ width });
      await visitor.page.addInitScript(NOTE_SHIFTS);
      for (const path of [...PAGES, ...MORE_PAGES]) {
        await visitor.visit(path);
        await visitor.page.locator('main :is(table.rows, form, .empty)').first().waitFor();
        await untilTrue(visitor.page, 'document.querySelector(".loading-rows") === null');
        const seen = await visitor.page.evaluate<string[]>(OUT_OF_VIEW);
        expect([width, path, seen]).toEqual([width, path, []]);
        const shift = await visitor.page.evaluate<number>('window.shift');
        expect([width, path, shift < SHIFT_MAX ? [] : shift]).toEqual([width, path, []]);
      }
      await visitor.close();
    }
    stage.expectPeace();
  });

  trial.it('has the answers of the inbox side by side, and the whole question', async () => {
    await filled();
    const page = await stage.come('/inbox', { width: 1_440 });
    const row = page.getByRole('row').filter({ hasText: 'lists-long' });
    await row.waitFor();
    const tops = await row
      .locator('.buttons button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await row.getByRole('button', { name: 'Show all' }).click();
    await row.getByText(new RegExp(`^w{${ASKED_MAX}}$`)).waitFor();
    expect(await page.evaluate(OUT_OF_VIEW)).toEqual([]);
    stage.expectPeace();
  });

  trial.it('shows letters that turn or hide others, in pages and dialogs', async () => {
    await filled();
    const page = await stage.come('/inbox');
    const cell = page.getByRole('cell').filter({ hasText: 'Pay 10 EUR' });
    await cell.getByText('Pay 10 EUR to ⟨U+202E⟩everyone ton od⟨U+202C⟩ bob⟨U+200B⟩').waitFor();
    const isolation = 'getComputedStyle(document.querySelector("main td bdi")).unicodeBidi';
    expect(await page.evaluate(isolation)).toBe('isolate');
    await page.getByText('האם לאשר את זה?', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Approve: Pay 10/ }).click();
    await page.getByRole('dialog').getByText('⟨U+202E⟩everyone').waitFor();
    for (const path of ['/inbox', '/tasks']) {
      await stage.visitor.visit(path);
      await page.getByRole('row').filter({ hasText: 'lists-turned' }).first().waitFor();
      expect(await page.evaluate('document.documentElement.outerHTML')).not.toMatch(TURNS);
    }
    stage.expectPeace();
  });

  trial.it('tells six dialogs apart, and goes on at the next row', async () => {
    const ids = [];
    for (const n of QUESTIONS.keys()) ids.push(await stage.api.create(`lists-door-${n}`));
    const page = await stage.come('/inbox');
    for (const [n, title] of QUESTIONS.entries()) {
      await question(page, title).click();
      const dialog = page.getByRole('dialog', { name: 'Approve' });
      const about = dialog.getByRole('region', { name: 'About' });
      for (const words of [title, `lists-door-${n}`, ids[n]!.slice(-12)]) {
        await about.getByText(words).waitFor();
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    // The newest stands first: the next row is that of the one before it.
    await question(page, QUESTIONS[3]!).focus();
    await page.keyboard.press('Enter');
    await stage.visitor.write(page.getByRole('textbox', { name: 'Reason' }), 'seen');
    await page.keyboard.press('Enter');
    await page.getByText('Approve: done for lists-door-3').waitFor();
    await question(page, QUESTIONS[3]!).waitFor({ state: 'detached' });
    await untilTrue(page, `${FOCUSED} === 'Approve: ${QUESTIONS[2]}'`);
    stage.expectPeace();
  });

  trial.it('brings a reader back to the row and the search that were left', async () => {
    const { api } = stage;
    const labels = { many: 'yes' };
    const body = { tasks: Array.from({ length: 120 }, () => ({ flow: 'lab-succeed', labels })) };
    await api.ask({ path: '/v1/tasks:batch', body });
    const page = await stage.come('/tasks?q=label.many%3Ayes', { width: 1_024 });
    const row = page.locator('tr[data-index="110"] a.row-link');
    await page.getByRole('table', { name: 'Tasks' }).getByRole('link').first().waitFor();
    await untilTrue(page, SCROLLED);
    const href = await row.getAttribute('href');
    const y = await page.evaluate<number>('window.scrollY');
    await row.click();
    await page.getByRole('list', { name: 'Timeline' }).waitFor();
    await page.goBack();
    await untilTrue(page, `document.activeElement.getAttribute('href') === '${href}'`);
    expect(Math.abs((await page.evaluate<number>('window.scrollY')) - y)).toBeLessThan(150);
    const box = page.getByRole('searchbox', { name: 'Search tasks' });
    await box.focus();
    await page.keyboard.type(' flow:');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await box.inputValue()).toBe('label.many:yes');
    await page.keyboard.press('Escape');
    expect(page.url()).toContain('many');
    stage.expectPeace();
  });

  trial.it('leaves child tasks out, shows other columns and the oldest first', async () => {
    const { taskId } = await stage.api.run('lists-parent');
    const page = await stage.come('/tasks');
    const child = page.getByRole('row').filter({ hasText: `child of …${taskId.slice(-6)}` });
    await child.waitFor();
    await page.getByRole('checkbox', { name: 'Without child tasks' }).check();
    await child.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('q')).toBe('parent:none');
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Ended' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Ended' }).waitFor();
    await page.getByRole('combobox', { name: 'Created' }).selectOption('In the last hour');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first');
    const { items } = await stage.api.get<{ items: { taskId: string }[] }>(
      '/v1/tasks?q=parent%3Anone&order=oldest&limit=1',
    );
    const first = page.getByRole('table', { name: 'Tasks' }).getByRole('link').first();
    await first.and(page.locator(`[href$="${items[0]!.taskId}"]`)).waitFor();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Ended' }).waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('acts on a few ticked tasks, and says what became of each', async () => {
    const ids = [await stage.api.create('lab-long'), await stage.api.create('lab-long')];
    for (const taskId of ids) await untilTask(stage.api, taskId, isAt('sleep'));
    const page = await stage.come('/tasks?q=flow%3Alab-long');
    for (const id of ids) await page.getByRole('checkbox', { name: `lab-long ${id}` }).check();
    await page.getByText('2 selected').first().waitFor();
    await page.getByRole('button', { name: 'Act on selected tasks' }).click();
    const dialog = page.getByRole('dialog', { name: 'Act on selected tasks' });
    await dialog.getByRole('combobox', { name: 'Action' }).selectOption('Terminate');
    await dialog.getByRole('button', { name: 'Terminate' }).click();
    await dialog.getByText('Give a reason').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    await page.keyboard.type('by mistake');
    await page.keyboard.press('Enter');
    await dialog.getByText('2 done, 0 refused.').waitFor();
    for (const id of ids) expect((await untilTask(stage.api, id)).status).toBe('terminated');
    stage.expectPeace();
  });

  trial.it(
    'closes menus by Escape, and marks the page in forced colours and on paper',
    async () => {
      await filled();
      const page = await stage.come('/tasks');
      await page.getByText('More', { exact: true }).click();
      const locks = page.getByRole('link', { name: 'Locks' });
      await locks.focus();
      await page.keyboard.press('Escape');
      await locks.waitFor({ state: 'hidden' });
      expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
      await page.emulateMedia({ forcedColors: 'active' });
      const here = 'getComputedStyle(document.querySelector("nav [aria-current]")).outlineStyle';
      expect(await page.evaluate(here)).toBe('solid');
      await page.emulateMedia({ forcedColors: 'none', media: 'print' });
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
      for (const role of ['search', 'checkbox', 'combobox'] as const) {
        expect([role, await page.getByRole(role).count()]).toEqual([role, 0]);
      }
      stage.expectPeace();
    },
  );

  trial.it('asks for little while nothing happens', async () => {
    await filled();
    const page = await stage.come('/');
    await page.getByRole('table', { name: 'Executors by module' }).waitFor();
    await page.getByRole('table', { name: 'Newest tasks' }).waitFor();
    const looks = (): Promise<unknown> =>
      page.waitForResponse((response) => response.url().endsWith('/readyz'));
    await looks();
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
    session.on('Network.responseReceived', ({ response }) => (bytes += response.encodedDataLength));
    const since = process.hrtime.bigint();
    for (let n = 0; n < 4; n += 1) await looks();
    const minutes = Number(process.hrtime.bigint() - since) / 60e9;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes / minutes).toBeLessThan(100_000);
    stage.expectPeace();
  });
});
