import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const SMALL = 360;
const SIGHTS = [
  { theme: 'dark', width: SMALL },
  { theme: 'light', width: 1_280 },
] as const;

function heading(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Whether nothing stands beyond the right edge. */
async function fits(page: Page): Promise<boolean> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  return width <= (page.viewportSize()?.width ?? 0);
}

describeInBrowser('the command palette', () => {
  const stage = new ConsoleStage({ name: 'console-palette', flows: PRACTICE_FLOWS });
  stage.prepare();

  /** Opens it by its keys, and writes into it. */
  async function call(page: Page, text: string): Promise<Locator> {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to, or do' });
    await palette.getByRole('combobox', { name: 'Command' }).waitFor();
    await page.keyboard.type(text);
    return palette;
  }

  /** Takes the first choice, once it is this one. */
  async function go(page: Page, text: string, choice: RegExp): Promise<void> {
    const palette = await call(page, text);
    await palette.getByRole('option', { name: choice, selected: true }).waitFor();
    await page.keyboard.press('Enter');
  }

  stage.trial.it('goes to any page and any flow by the keyboard alone', async () => {
    const page = await stage.come('/');
    await go(page, 'exec', /^Executors/);
    await heading(page, 'Executors');
    await page.keyboard.press('Meta+k');
    await page.keyboard.type('lab group und');
    await page.getByRole('option', { name: /^lab-group-undone/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'lab-group-undone');
    stage.expectPeace();
  });

  stage.trial.it('moves along its list, and closes without a choice', async () => {
    const page = await stage.come('/');
    const palette = await call(page, '');
    await palette.getByRole('option', { name: /^Overview/, selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await palette.getByRole('option', { name: /^Tasks/, selected: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await palette.getByRole('option', { name: /^Overview/, selected: true }).waitFor();
    await page.keyboard.type('no such thing');
    await palette.getByText('Nothing fits.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await heading(page, 'Overview');
    stage.expectPeace();
  });

  stage.trial.it('goes to a task by its id, its beginning or its end', async () => {
    const { taskId } = await stage.api.run('lab-succeed');
    const page = await stage.come('/');
    for (const text of [taskId, taskId.slice(0, 13), taskId.slice(-8).toUpperCase()]) {
      await go(page, text, new RegExp(`${taskId}.*Task$`));
      await page.getByRole('status').filter({ hasText: 'lab-succeed: Succeeded' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await heading(page, 'Overview');
    }
    stage.expectPeace();
  });

  stage.trial.it('does what can be done to the open task', async () => {
    const taskId = await stage.api.create('lab-long');
    await untilTask(stage.api, taskId, isAt('sleep'));
    const page = await stage.come(`/tasks/${taskId}`);
    await go(page, 'roll', /^Roll back/);
    const dialog = page.getByRole('dialog', { name: 'Roll back' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('found by its name');
    // Over a dialog there is nothing to go to.
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Rolled back' }).waitFor();
    stage.expectPeace();
  });

  stage.trial.it('changes the colours', async () => {
    const page = await stage.come('/');
    await go(page, 'dark', /^Colours: dark/);
    await page.locator('html[data-theme="dark"]').waitFor();
    stage.expectPeace();
  });

  stage.trial.it('can be used by everybody, on a small screen too', async () => {
    for (const sight of SIGHTS) {
      const page = await stage.come('/', sight);
      await page.getByRole('button', { name: 'Go to, or do' }).click();
      await page.getByRole('option', { name: /^Overview/ }).waitFor();
      expect(await stage.visitor.violations()).toEqual([]);
      expect(await fits(page)).toBe(true);
    }
    stage.expectPeace();
  });
});

describeInBrowser('the suggestions of the search box', () => {
  const stage = new ConsoleStage({ name: 'console-suggestions', flows: PRACTICE_FLOWS });
  stage.prepare();

  const boxOf = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search tasks' });
  const listOf = (page: Page): Locator => page.getByRole('listbox', { name: 'Suggestions' });

  stage.trial.it('are taken by the keyboard, word after word', async () => {
    const body = { flow: 'lab-succeed', labels: { team: 'finders' } };
    await stage.api.ask({ path: '/v1/tasks?wait=20s', body });
    const page = await stage.come('/tasks');
    await page.getByRole('link', { name: /^lab-succeed/ }).waitFor();
    await boxOf(page).fill('lab');
    await boxOf(page).pressSequentially('el.');
    await listOf(page)
      .getByRole('option', { name: /^label\.team:/ })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await listOf(page).getByRole('option', { name: 'label.team:finders' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await listOf(page).waitFor({ state: 'detached' });
    await page.keyboard.type('stat');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('succ');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await boxOf(page).inputValue()).toBe('label.team:finders status:succeeded ');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=label\.team%3Afinders\+status%3Asucceeded|q=label.*succeeded/);
    stage.expectPeace();
  });

  stage.trial.it('are never in the way of Enter', async () => {
    const page = await stage.come('/tasks');
    await boxOf(page).fill('');
    await boxOf(page).pressSequentially('flow:lab-s');
    await listOf(page).getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await listOf(page).waitFor({ state: 'detached' });
    expect(await boxOf(page).inputValue()).toBe('flow:lab-s');
    await page.keyboard.press('ArrowDown');
    await listOf(page).waitFor();
    await page.keyboard.press('Escape');
    await listOf(page).waitFor({ state: 'detached' });
    expect(await boxOf(page).inputValue()).toBe('flow:lab-s');
    stage.expectPeace();
  });

  stage.trial.it('lead by an id to its task, from which one comes back to the list', async () => {
    const taskId = await stage.api.create('lab-succeed');
    const page = await stage.come('/tasks');
    for (const way of ['fill', 'address'] as const) {
      if (way === 'fill') await boxOf(page).fill(taskId);
      else await page.goto(`${stage.backstep.url}/console/tasks?q=${taskId}`);
      await page.waitForURL(`**/console/tasks/${taskId}`);
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
      expect(page.url()).toBe(`${stage.backstep.url}/console/tasks`);
    }
    stage.expectPeace();
  });

  stage.trial.it('can be used by everybody, on a small screen too', async () => {
    for (const sight of SIGHTS) {
      const page = await stage.come('/tasks', sight);
      await boxOf(page).pressSequentially('st');
      await listOf(page)
        .getByRole('option', { name: /^status:/ })
        .waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await stage.visitor.violations()).toEqual([]);
      expect(await fits(page)).toBe(true);
    }
    stage.expectPeace();
  });
});
