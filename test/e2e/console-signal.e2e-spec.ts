import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const FLOWS = {
  ...PRACTICE_FLOWS,
  'signal-two': {
    steps: [
      { name: 'pay', wait: { signal: 'paid' } },
      { name: 'ship', wait: { signal: 'shipped' } },
    ],
  },
};

describeInBrowser('a signal from the page of a task', () => {
  const stage = new ConsoleStage({ name: 'console-signal', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('lets the step go on that waits for it, with its payload', async () => {
    const taskId = await stage.api.create('signal-two');
    await untilTask(stage.api, taskId, isAt('pay'));
    const page = await stage.come(`/tasks/${taskId}`, { theme: 'dark', width: 360 });
    await page.getByRole('button', { name: 'Send signal' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send signal' });
    const name = dialog.getByRole('combobox', { name: 'Name of the signal' });
    expect(await name.inputValue()).toBe('paid');
    await dialog.getByText('A step that waits for it goes on').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    const payload = dialog.getByRole('textbox', { name: 'Payload (JSON object)' });
    await payload.fill('[3]');
    await dialog.getByRole('button', { name: 'Send signal' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'not a JSON object' }).waitFor();
    await payload.fill('{"amount": 3}');
    await dialog.getByRole('button', { name: 'Send signal' }).click();
    await dialog.waitFor({ state: 'detached' });
    await stage.visitor.seesNode('pay, succeeded');
    await stage.visitor.seesNode('ship, waiting');
    const [pay] = (await stage.api.task(taskId)).steps;
    expect(pay?.output).toMatchObject({ amount: 3 });
    stage.expectPeace();
  });

  trial.it('is kept for the step that will ask for it; without a name it is not sent', async () => {
    const taskId = await stage.api.create('signal-two');
    await untilTask(stage.api, taskId, isAt('pay'));
    const page = await stage.come(`/tasks/${taskId}`);
    const dialog = page.getByRole('dialog', { name: 'Send signal' });
    const name = dialog.getByRole('combobox', { name: 'Name of the signal' });
    await page.getByRole('button', { name: 'Send signal' }).click();
    await name.fill(' ');
    await name.press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'Name the signal.' }).waitFor();
    await name.fill('other');
    await dialog.getByText('No step asks for it now.').waitFor();
    await name.fill('shipped');
    await name.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send signal' }).click();
    await name.press('Enter');
    await page.getByRole('status').filter({ hasText: 'signal-two: Succeeded' }).waitFor();
    await page.getByRole('button', { name: 'Send signal' }).waitFor({ state: 'detached' });
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
    stage.expectPeace();
  });
});
