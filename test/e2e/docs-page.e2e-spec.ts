import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS, type TaskView } from '../load/index.js';

jest.setTimeout(240_000);

const FLOWS = {
  ...PRACTICE_FLOWS,
  'docs-page': { steps: [{ name: 'a', normal: { module: 'lab', command: 'succeed' } }] },
};

describeInBrowser('the page of the HTTP interface', () => {
  const stage = new ConsoleStage({ name: 'docs-page', flows: FLOWS });
  stage.prepare();

  stage.trial.it('leads from a list to an operation, its schema, and an answer', async () => {
    const { page } = await stage.invite();
    await page.goto(`${stage.backstep.url}/docs`);
    const list = page.getByRole('navigation', { name: 'Operations' });
    await list.getByText('tasks', { exact: true }).click();
    await list.getByRole('link', { name: 'POST /v1/tasks', exact: true }).click();
    const create = page.locator('#createTask');
    await create.getByRole('link', { name: 'CreateTask', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#schema-CreateTask');
    await create.getByText('Try it').click();
    const body = create.getByRole('textbox', { name: 'Body, application/json' });
    // Only the group that was led to stands open: the page is no wall of all operations.
    expect(await page.locator('details.group[open]').count()).toBe(2);
    expect(await create.locator('p').first().textContent()).not.toContain('`');
    // It begins with the example of the document.
    expect(JSON.parse(await body.inputValue())).toMatchObject({ flow: 'create-volume' });
    await create.getByRole('textbox', { name: 'wait' }).fill('20s');
    await body.fill('{"flow": "docs-page"}');
    await create.getByRole('button', { name: 'Send' }).click();
    await create.getByText(/^201 .*application\/json/).waitFor();
    const { status, taskId } = JSON.parse(
      (await create.getByRole('status').locator('pre').textContent()) ?? '',
    ) as TaskView;
    expect(status).toBe('succeeded');

    const one = page.locator('#getTask');
    await one.getByText('Try it').click();
    await one.getByRole('textbox', { name: 'taskId (required)' }).fill(taskId);
    await one.getByRole('button', { name: 'Send' }).click();
    await one.getByText(/^200 /).waitFor();
    await one.getByRole('textbox', { name: 'taskId (required)' }).fill('nobody');
    await one.getByRole('button', { name: 'Send' }).click();
    await one.getByText(/^404 .*problem\+json/).waitFor();
    expect(stage.visitor.strays).toEqual([]);
  });
});
