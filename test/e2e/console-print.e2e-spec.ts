import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const WHITE = 'rgb(255, 255, 255)';
/** How light a colour is that is to be read on white: from 0 for black. */
const DARKNESS = `(selector) => {
  const [red, green, blue] = getComputedStyle(document.querySelector(selector))
    .color.match(/\\d+/g).map(Number);
  return Math.max(red, green, blue);
}`;

describeInBrowser('a task on paper', () => {
  const stage = new ConsoleStage({ name: 'console-print', flows: PRACTICE_FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('is a report of what was done, what was undone, and who did what', async () => {
    const { taskId } = await stage.api.run('lab-stuck', { size: 42 });
    const path = `/v1/tasks/${taskId}:skip`;
    const body = { step: 'stuck', reason: 'undone by hand' };
    await stage.api.ask({ path, body, headers: { 'x-backstep-actor': 'ann' } });
    await untilTask(stage.api, taskId);
    const page = await stage.come(`/tasks/${taskId}`, { theme: 'dark' });
    await stage.visitor.seesNode('first, succeeded, undo succeeded');
    const steps = page.getByRole('table', { name: 'Steps' });
    expect(await steps.count()).toBe(0);
    await page.emulateMedia({ media: 'print' });
    const first = /^first lab\.effect Succeeded lab\.undo_effect Succeeded 1 .*20\d\d/;
    await steps.getByRole('row', { name: first }).waitFor();
    const stuck = /^stuck lab\.succeed Succeeded lab\.fail Skipped 1 .*told to$/;
    await steps.getByRole('row', { name: stuck }).waitFor();
    await steps.getByRole('row', { name: /^fail lab\.fail Failed has none .*told to$/ }).waitFor();
    const people = page.getByRole('table', { name: 'Actions of people' });
    const ann = / ann skip requested stuck undone by hand$/;
    await people.getByRole('row', { name: ann }).waitFor();
    // Besides the titles: what created the task, and the person; no executor.
    expect(await people.getByRole('row').count()).toBe(3);
    await page.getByRole('table', { name: 'As they stand now' }).getByText('42').waitFor();
    await page.getByText('"size": 42').waitFor();
    await page.getByRole('list', { name: 'Timeline' }).waitFor();
    for (const name of ['Terminate', 'Copy', 'Fold all']) {
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    }
    expect(await page.getByRole('group', { name: 'Flow graph' }).count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(WHITE);
    for (const selector of ['.report td', '.timeline p', 'h1']) {
      const darkness = await page.evaluate<number>(`(${DARKNESS})('${selector}')`);
      expect([selector, darkness < 130]).toEqual([selector, true]);
    }
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    stage.expectPeace();
  });

  trial.it('has the steps in steps, and names nobody who did nothing', async () => {
    const { taskId } = await stage.api.run('lab-group-fails');
    const page = await stage.come(`/tasks/${taskId}`);
    await page.emulateMedia({ media: 'print' });
    const steps = page.getByRole('table', { name: 'Steps' });
    await steps.getByRole('row', { name: /^before / }).waitFor();
    await steps
      .getByRole('row', { name: /^outer, try \d › inner, try \d › tried / })
      .first()
      .waitFor();
    const people = page.getByRole('table', { name: 'Actions of people' });
    await people.getByRole('row', { name: / api created/ }).waitFor();
    expect(await people.getByRole('row').count()).toBe(2);
    stage.expectPeace();
  });
});
