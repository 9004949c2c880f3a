import path from 'node:path';
import { expect, jest } from '@jest/globals';
import { finishedId } from '../../bench/fill/finished-id.js';
import { Program } from '../../bench/program.js';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(600_000);

const MANY = 50_000;
/** A window of 900 pixels, with rows beyond both of its edges. */
const DRAWN_MAX = 120;

/** Goes to the end of the page again and again, until the list has no more to load. */
const LOAD_ALL = `new Promise((resolve) => {
  const look = () => {
    window.scrollTo(0, document.documentElement.scrollHeight);
    const isMore = document.querySelector('.list-end button') !== null;
    if (isMore) setTimeout(() => requestAnimationFrame(look), 0);
    else resolve(null);
  };
  look();
})`;

describeInBrowser('a list of fifty thousand tasks', () => {
  const stage = new ConsoleStage({ name: 'console-many', flows: PRACTICE_FLOWS });
  const { trial } = stage;
  stage.prepare();

  /** Copies the one task of the store, in its file. */
  async function fill(): Promise<void> {
    await stage.api.run('lab-succeed');
    await stage.backstep.kill('SIGTERM');
    const { folder } = trial;
    const env = { FILL_FILE: path.join(folder, 'data', 'backstep.db') };
    const plan = { program: 'programs/sqlite-fill', name: 'fill', folder, env };
    const program = await Program.start(plan);
    await program.ask('fillFinished', MANY);
    await program.stop();
    await stage.backstep.start();
  }

  trial.it('draws the rows near the window, and reaches the last', async () => {
    await fill();
    const page = await stage.come('/tasks');
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.getByRole('link').first().waitFor();
    page.setDefaultTimeout(400_000);
    await page.evaluate(LOAD_ALL);
    const rows = table.locator('tbody tr:not(.gap)');
    const last = table.getByRole('link', { name: `lab-succeed ${finishedId(1)}` });
    await last.waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe(`${MANY + 2}`);
    expect(await rows.count()).toBeLessThan(DRAWN_MAX);
    expect(await rows.last().getAttribute('aria-rowindex')).toBe(`${MANY + 2}`);
    expect(await stage.visitor.violations()).toEqual([]);
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight / 2)');
    await last.waitFor({ state: 'detached' });
    expect(await rows.count()).toBeLessThan(DRAWN_MAX);
    const places = await rows.evaluateAll((found) =>
      found.map((row) => Number(row.getAttribute('aria-rowindex'))),
    );
    expect(places).toEqual(places.map((_, n) => (places[0] ?? 0) + n));
    await rows.nth(20).getByRole('link').focus();
    const name = await rows.nth(20).getByRole('link').textContent();
    for (let n = 0; n < 60; n += 1) await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await page.evaluate('document.activeElement.textContent')).not.toBe(name);
    await page.evaluate('window.scrollTo(0, 0)');
    await rows.first().and(table.locator('[aria-rowindex="2"]')).waitFor();
    expect(await page.evaluate('document.activeElement.className')).toBe('row-link');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Timeline' }).waitFor();
    stage.expectPeace();
  });
});
