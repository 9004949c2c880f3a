import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

/** Entries of the audit log; a page has 100. */
const BUSY = 105;

const FLOWS = {
  ...PRACTICE_FLOWS,
  'pages-unserved': {
    steps: [{ name: 'far', normal: { module: 'elsewhere', command: 'do' } }],
  },
  'pages-no-command': {
    steps: [{ name: 'new', normal: { module: 'lab', command: 'juggle' } }],
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
});
