import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';
import { SECRET_KEY } from '../stack/index.js';

jest.setTimeout(240_000);

const SECRET = 'nobody-may-read-this';

const FLOWS = {
  ...PRACTICE_FLOWS,
  'page-written': {
    input: {
      type: 'object',
      properties: { cpu: { type: 'integer' }, password: { type: 'string', secret: true } },
    },
    constants: { region: 'eu', cpu: 1 },
    onFailure: 'hold',
    steps: [
      {
        name: 'make',
        normal: { module: 'lab', command: 'succeed', parameters: { output: { cpu: 8 } } },
      },
      {
        name: 'take',
        normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } },
      },
    ],
  },
};

describeInBrowser('the page of a task', () => {
  const stage = new ConsoleStage({
    name: 'console-task',
    flows: FLOWS,
    settings: { secretKey: SECRET_KEY },
  });
  const { trial } = stage;
  stage.prepare();

  trial.it('says who wrote each parameter, when, and what it was before', async () => {
    const { taskId } = await stage.api.run('page-written', { cpu: 4, password: SECRET });
    const headers = { 'x-backstep-actor': 'ann' };
    const body = { reason: 'more', parameters: { cpu: 16 } };
    await stage.api.ask({ path: `/v1/tasks/${taskId}:retry`, body, headers });
    const page = await stage.come(`/tasks/${taskId}`);
    const table = page.getByRole('table', { name: 'As they stand now' });
    await table
      .getByRole('row', { name: /^region "eu" a constant of the flow .*20\d\d/ })
      .waitFor();
    await table.getByRole('row', { name: /^password "\*\*\*" the request/ }).waitFor();
    const row = table.getByRole('row', { name: /^cpu 16 .*ann / });
    await row.getByText('3 earlier values').click();
    const earlier = row.getByRole('listitem');
    expect((await earlier.allTextContents()).map((text) => text.split(' · ').slice(0, 2))).toEqual([
      ['8', 'step make'],
      ['4', 'the request'],
      ['1', 'a constant of the flow'],
    ]);
    await row.getByRole('button', { name: 'make' }).click();
    await page.getByRole('heading', { name: 'Step: make' }).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });
});
