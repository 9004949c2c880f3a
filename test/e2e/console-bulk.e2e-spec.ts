import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const REASON = 'a bad release';

interface OperationView {
  readonly action: string;
  readonly reason: string;
  readonly dryRun: boolean;
  readonly status: string;
}

describeInBrowser('an action on all that a search finds', () => {
  const stage = new ConsoleStage({ name: 'console-bulk', flows: PRACTICE_FLOWS });
  const { trial } = stage;
  stage.prepare();

  const operations = async (): Promise<readonly OperationView[]> =>
    (await stage.api.get<{ items: OperationView[] }>('/v1/operations')).items;

  async function live(): Promise<string> {
    const taskId = await stage.api.create('lab-long');
    await untilTask(stage.api, taskId, isAt('sleep'));
    return taskId;
  }

  /** Opens the dialog over the list, and counts what it sends. */
  async function open(): Promise<{ page: Page; dialog: Locator; sent: string[] }> {
    const page = await stage.come('/tasks?q=flow%3Alab-long%20status%3Alive');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
    });
    await page.getByRole('button', { name: 'Act on all tasks found' }).click();
    return { page, sent, dialog: page.getByRole('dialog', { name: 'Act on all tasks found' }) };
  }

  trial.it('wants a reason, and nothing is sent without one', async () => {
    const { dialog, page, sent } = await open();
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    expect(await reason.getAttribute('required')).not.toBeNull();
    for (const text of ['', '   ']) {
      await reason.fill(text);
      await dialog.getByRole('button', { name: 'Dry run' }).click();
      await dialog.getByRole('alert').filter({ hasText: 'Give a reason' }).waitFor();
    }
    await reason.press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'Give a reason' }).waitFor();
    expect(sent).toEqual([]);
    expect(await stage.visitor.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    stage.expectPeace();
  });

  trial.it('does nothing once it is cancelled, whatever was tried before', async () => {
    const taskId = await live();
    const before = await stage.api.events(taskId);
    for (const leave of ['Cancel', 'Escape'] as const) {
      const { dialog, page } = await open();
      await dialog.getByRole('combobox', { name: 'Action' }).selectOption('terminate');
      await dialog.getByRole('textbox', { name: 'Reason' }).fill(REASON);
      await dialog.getByRole('button', { name: 'Dry run' }).click();
      await dialog.getByText('1 would be acted on').waitFor();
      if (leave === 'Escape') await page.keyboard.press('Escape');
      else await dialog.getByRole('button', { name: leave }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
    }
    expect((await operations()).map(({ dryRun }) => dryRun)).toEqual([true, true]);
    expect(await stage.api.events(taskId)).toEqual(before);
    expect((await stage.api.task(taskId)).status).toBe('running');
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });

  trial.it('keeps the reason while the form changes, and with all that it did', async () => {
    const taskId = await live();
    const { dialog, page } = await open();
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await reason.fill(REASON);
    await dialog.getByRole('combobox', { name: 'Action' }).selectOption('terminate');
    expect(await reason.inputValue()).toBe(REASON);
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('1 would be acted on').waitFor();
    expect(await reason.inputValue()).toBe(REASON);
    // Another action is another one to try: what was tried is not done for it.
    await dialog.getByRole('combobox', { name: 'Action' }).selectOption('rollback');
    await dialog.getByText('1 would be acted on').waitFor({ state: 'detached' });
    const act = dialog.getByRole('button', { name: 'Roll back' });
    expect(await act.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('1 would be acted on').waitFor();
    await act.click();
    await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
    expect((await untilTask(stage.api, taskId)).status).toBe('rolled_back');
    const done = (await operations()).filter(({ dryRun }) => !dryRun);
    expect(done).toMatchObject([{ action: 'rollback', reason: REASON }]);
    const told = (await stage.api.events(taskId)).filter(({ message }) =>
      message?.includes(REASON),
    );
    expect(told.length).toBeGreaterThan(0);
    stage.expectPeace();
  });
});
