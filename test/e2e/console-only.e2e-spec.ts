import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS, type TaskView } from '../load/index.js';

jest.setTimeout(240_000);

const lab = (command: string) => ({ module: 'lab', command, parameters: { name: 'make' } });

const FLOWS = {
  ...PRACTICE_FLOWS,
  'console-only': {
    input: { type: 'object', properties: { size: { type: 'integer' } } },
    steps: [
      { name: 'host', set: { host: 'h1' } },
      { name: 'make', normal: lab('effect'), rollback: lab('undo_effect') },
      { name: 'tell', normal: lab('succeed') },
    ],
  },
};

describeInBrowser('one step by itself in the console', () => {
  const stage = new ConsoleStage({ name: 'console-only', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('is tried from the page of its flow, and undone alone', async () => {
    const page = await stage.come('/flows/console-only', { theme: 'dark', width: 360 });
    await stage.visitor.seesNode('make');
    await page.getByRole('button', { name: 'make', exact: true }).click();
    await page.getByRole('button', { name: 'Run this step by itself' }).click();
    await page.getByText('The steps before it count as done:').waitFor();
    const steps = page.getByRole('combobox', { name: 'Steps to run' });
    expect(await steps.inputValue()).toBe('make');
    const given = page.getByRole('textbox', { name: 'Outputs of the steps before it' });
    expect(await stage.visitor.violations()).toEqual([]);
    await given.fill('[3]');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('The outputs are not a JSON object.').waitFor();
    await given.fill('{"host": {"host": "h2"}}');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await stage.visitor.seesNode('make, succeeded');
    await stage.visitor.seesNode('host, skipped');
    expect(await page.getByRole('button', { name: /^tell/ }).count()).toBe(0);
    await page.getByText('One step alone').waitFor();
    const taskId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const path = `/v1/tasks/${taskId}`;
    const { only, parameters } = await stage.api.get<TaskView & { only: string }>(path);
    expect({ only, parameters }).toMatchObject({ only: 'make', parameters: { host: 'h2' } });
    const body = { reason: 'tried' };
    await stage.api.ask({ method: 'POST', path: `${path}:undo`, body });
    // The page of a task that has ended is at rest, until its reader comes back.
    await page.evaluate('void setInterval(() => window.dispatchEvent(new Event("focus")), 200)');
    await stage.visitor.seesNode('make, succeeded, undo succeeded');
    stage.expectPeace();
  });

  trial.it('is run once more from the page of a task, with what it had there', async () => {
    const order = { flow: 'console-only', parameters: { size: 3 } };
    const path = '/v1/tasks?wait=20s';
    const { taskId } = (await stage.api.ask<TaskView>({ path, body: order })).body;
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('make, succeeded');
    await page.getByRole('button', { name: 'make, succeeded' }).click();
    await page.getByRole('link', { name: 'Run this step by itself once more' }).click();
    const given = page.getByRole('textbox', { name: 'Outputs of the steps before it' });
    expect(JSON.parse(await given.inputValue())).toEqual({ host: { host: 'h1' } });
    expect(await page.getByRole('textbox', { name: 'size' }).inputValue()).toBe('3');
    expect(await stage.visitor.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('One step alone').waitFor();
    await stage.visitor.seesNode('make, succeeded');
    stage.expectPeace();
  });
});
