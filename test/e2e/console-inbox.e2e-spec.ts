import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const CLICKS_MAX = 4;
const TITLE = 'May this go out?';
/** As long as a question may be. */
const LONG = 'May the database of the payments team be moved now, while its writers wait? '
  .repeat(4)
  .slice(0, 300)
  .trim();
const FLOWS = {
  ...PRACTICE_FLOWS,
  'inbox-asks-long': { steps: [{ name: 'ask', approve: { title: LONG } }] },
  'inbox-asks': {
    steps: [{ name: 'ask', approve: { title: TITLE, roles: ['operator', 'admin'] } }],
  },
};

describeInBrowser('the inbox', () => {
  const stage = new ConsoleStage({ name: 'console-inbox', flows: FLOWS });
  stage.prepare();

  function rowOf({ page }: Visitor, taskId: string) {
    return page.getByRole('row').filter({ hasText: taskId });
  }

  /** Answers a question that waits in the inbox, and counts the clicks from the overview on. */
  async function answer(visitor: Visitor, taskId: string, words: string): Promise<void> {
    await visitor.visit('/');
    await visitor.click(visitor.page.getByRole('link', { name: /Waits for a person/ }));
    const row = rowOf(visitor, taskId);
    await row.getByText('operator, admin').waitFor();
    await visitor.click(row.getByRole('button', { name: `${words}: ${TITLE}` }));
    const dialog = visitor.page.getByRole('dialog', { name: words });
    await visitor.write(dialog.getByRole('textbox', { name: 'Reason' }), 'looked at it');
    await visitor.click(dialog.getByRole('button', { name: words }));
    await row.waitFor({ state: 'detached' });
    expect(visitor.clicks).toBeLessThanOrEqual(CLICKS_MAX);
  }

  stage.trial.it('lists what asks for an approval, with an answer to it', async () => {
    const taskId = await stage.api.create('inbox-asks');
    await answer(await stage.invite(), taskId, 'Approve');
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
    stage.expectPeace();
  });

  stage.trial.it('takes a no as well', async () => {
    const taskId = await stage.api.create('inbox-asks');
    await answer(await stage.invite(), taskId, 'Reject');
    expect((await untilTask(stage.api, taskId)).status).toBe('rolled_back');
    stage.expectPeace();
  });

  stage.trial.it('keeps a dialog open whose question another person answers', async () => {
    const taskId = await stage.api.create('inbox-asks');
    const visitor = await stage.invite();
    await visitor.visit('/inbox');
    const row = rowOf(visitor, taskId);
    await row.getByRole('button', { name: `Reject: ${TITLE}` }).click();
    const dialog = visitor.page.getByRole('dialog', { name: 'Reject' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('too early');
    await stage.api.act(taskId, 'approve', { step: 'ask', comment: 'now' });
    await row.waitFor({ state: 'detached' });
    expect(await visitor.page.getByRole('table').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
  });

  stage.trial.it('is live, and so is its count on the overview', async () => {
    const [visitor, other] = [await stage.invite(), await stage.invite()];
    await visitor.visit('/inbox');
    await visitor.page.getByText('Nothing waits for a person.').waitFor();
    await other.visit('/');
    await other.page.getByRole('link', { name: /^0 Waits for a person/ }).waitFor();
    const taskId = await stage.api.create('inbox-asks');
    await rowOf(visitor, taskId).waitFor();
    await other.page.getByRole('link', { name: /^1 Waits for a person/ }).waitFor();
    await stage.api.act(taskId, 'approve', { step: 'ask', comment: 'fine' });
    await visitor.page.getByText('Nothing waits for a person.').waitFor();
    await other.page.getByRole('link', { name: /^0 Waits for a person/ }).waitFor();
    stage.expectPeace();
  });

  stage.trial.it('says where a stuck task stands, and acts on it', async () => {
    const { taskId } = await stage.api.run('lab-stuck');
    const visitor = await stage.invite();
    await visitor.visit('/inbox');
    const row = rowOf(visitor, taskId);
    await row.getByRole('cell', { name: 'stuck', exact: true }).waitFor();
    await row.getByText('rollback of step stuck (lab.fail) failed: told to').waitFor();
    await row.getByRole('button', { name: `Skip: lab-stuck ${taskId}` }).click();
    const dialog = visitor.page.getByRole('dialog', { name: 'Skip' });
    await visitor.write(dialog.getByRole('textbox', { name: 'Reason' }), 'undone by hand');
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await untilTask(stage.api, taskId)).status).toBe('rolled_back');
    stage.expectPeace();
  });

  stage.trial.it('asks the whole question on a phone, with the answer in reach', async () => {
    const taskId = await stage.api.create('inbox-asks-long');
    const visitor = await stage.invite({ width: 390 });
    await visitor.page.setViewportSize({ width: 390, height: 780 });
    await visitor.visit('/inbox');
    await rowOf(visitor, taskId)
      .getByRole('button', { name: /^Approve/ })
      .click();
    const dialog = visitor.page.getByRole('dialog', { name: 'Approve' });
    await dialog.getByText('ask succeeds').waitFor();
    const isInView = async (text: string): Promise<boolean> => {
      const box = await dialog.getByText(text, { exact: true }).last().boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 780;
    };
    expect(await isInView(LONG)).toBe(true);
    expect(await isInView('Approve')).toBe(true);
    // The keyboard of the phone stays away until a field is touched.
    expect(await dialog.evaluate((element) => element.matches(':focus'))).toBe(true);
    const scrollers = `[...document.querySelectorAll('dialog *')].filter((each) =>
      each.scrollHeight > each.clientHeight + 1 &&
      /auto|scroll/.test(getComputedStyle(each).overflowY)).length`;
    expect(await visitor.page.evaluate(scrollers)).toBe(0);
    expect(await visitor.violations()).toEqual([]);
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });

  stage.trial.it('leads from a remedy on the page of a task to its dialog', async () => {
    const taskId = await stage.api.create('inbox-asks');
    const visitor = await stage.invite();
    await visitor.visit(`/tasks/${taskId}`);
    const why = visitor.page.getByRole('region', { name: 'How it goes on' });
    await why.getByRole('link', { name: 'Approve', exact: true }).click();
    await visitor.page.getByRole('dialog', { name: 'Approve' }).waitFor();
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });

  stage.trial.it('can be read by everybody, in both themes and on a small screen', async () => {
    const ids = [await stage.api.create('inbox-asks'), (await stage.api.run('lab-stuck')).taskId];
    for (const theme of ['dark', 'light'] as const) {
      const visitor = await stage.invite({ theme, width: 360 });
      await visitor.visit('/inbox');
      for (const taskId of ids) await rowOf(visitor, taskId).waitFor();
      expect(await visitor.violations()).toEqual([]);
      const width = await visitor.page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(360);
    }
    for (const taskId of ids) await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
    stage.expectPeace();
  });
});
