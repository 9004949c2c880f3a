import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const LISTS = /\/v1\/tasks\?/;
const CHANGES = /\/v1\/events/;

describeInBrowser('lists of the console', () => {
  const stage = new ConsoleStage({ name: 'console-live', flows: PRACTICE_FLOWS });
  const { trial } = stage;
  stage.prepare();

  /** The page once its lists were asked for and it listens to changes. */
  async function come(path: string): Promise<Visitor['page']> {
    const visitor = await stage.invite();
    const listening = visitor.page.waitForResponse(CHANGES);
    await visitor.visit(path);
    await listening;
    return visitor.page;
  }

  trial.it('follow what happens by the stream of changes, and ask for nothing', async () => {
    const { api } = stage;
    await api.run('lab-four-steps');
    const page = await come('/');
    const newest = page.getByRole('table', { name: 'Newest tasks' });
    await newest.getByRole('link', { name: 'lab-four-steps' }).first().waitFor();
    await page.route(LISTS, (route) => route.abort());
    const waiting = await api.create('lab-approve');
    const link = page.getByRole('link', { name: `lab-approve ${waiting}` });
    const row = newest.getByRole('row').filter({ has: link });
    await row.waitFor();
    expect((await api.act(waiting, 'terminate', { reason: 'a test' })).status).toBe(200);
    await row.getByText('Terminated', { exact: true }).waitFor();
  });

  trial.it('ask again and again where there is no stream', async () => {
    const { api } = stage;
    const visitor = await stage.invite();
    const { page } = visitor;
    await page.route(CHANGES, (route) => route.abort());
    await visitor.visit('/tasks');
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.getByRole('link').first().waitFor();
    const { taskId } = await api.run('lab-four-steps');
    await table.getByRole('link', { name: `lab-four-steps ${taskId}` }).waitFor();
  });

  trial.it('ask at once where only the server knows what belongs to them', async () => {
    const page = await come('/tasks?q=flow%3Alab-group');
    const table = page.getByRole('table', { name: 'Tasks' });
    const { taskId } = await stage.api.run('lab-group');
    await table.getByRole('link', { name: `lab-group ${taskId}` }).waitFor();
    expect(await table.getByRole('link', { name: /^lab-four-steps/ }).count()).toBe(0);
  });
});
