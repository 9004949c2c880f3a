import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const FLOWS = {
  ...PRACTICE_FLOWS,
  'pages-unserved': {
    steps: [{ name: 'far', normal: { module: 'elsewhere', command: 'do' } }],
  },
};

describeInBrowser('the pages beside those of tasks', () => {
  const stage = new ConsoleStage({ name: 'console-pages', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('counts what was started, and says which modules nobody serves', async () => {
    await stage.api.run('lab-succeed');
    const page = await stage.come('/');
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
});
