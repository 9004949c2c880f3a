import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const TITLE = 'Inject a fault: b';

const lab = (command: string, name: string) => ({ module: 'lab', command, parameters: { name } });
const steps = ['a', 'b', 'c'].map((name) => {
  return { name, normal: lab('effect', name), rollback: lab('undo_effect', name) };
});

describeInBrowser('the switches of the lab in the console', () => {
  const flows = { ...PRACTICE_FLOWS, 'console-lab': { steps } };
  const stage = new ConsoleStage({ name: 'console-lab', flows });
  const { trial } = stage;
  stage.prepare();

  trial.it('show the way back by clicks alone, and are off again', async () => {
    const page = await stage.come('/flows/console-lab');
    await stage.visitor.seesNode('b');
    expect(await page.getByRole('radio').count()).toBe(0);
    const node = page.getByRole('button', { name: 'b', exact: true });
    await node.click();
    const group = page.getByRole('group', { name: TITLE });
    expect(await group.getByRole('radio').count()).toBe(5);
    await group.getByRole('radio', { name: 'Fail once' }).click();
    await page.getByText('Fails once').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await stage.visitor.seesNode('b, failed, undo succeeded');
    await stage.visitor.seesNode('a, succeeded, undo succeeded');
    await page.getByRole('button', { name: 'b, failed, undo succeeded' }).click();
    await page.getByText('made to fail once by a switch of the lab').first().waitFor();
    await group.getByRole('radio', { name: 'Off', exact: true, checked: true }).waitFor();
    await page.getByText('Fails once').waitFor({ state: 'detached' });
    expect(await stage.api.get('/modules/lab/faults')).toEqual({ items: [] });
    stage.expectPeace();
  });

  trial.it('are reached by the keyboard, and told on the node', async () => {
    const page = await stage.come('/flows/console-lab', { theme: 'dark', width: 360 });
    await stage.visitor.seesNode('b');
    await page.getByRole('button', { name: 'b', exact: true }).focus();
    await page.keyboard.press('Enter');
    const group = page.getByRole('group', { name: TITLE });
    await group.getByRole('radio', { name: 'Off', exact: true }).focus();
    for (const name of ['Fail once', 'Fail always', 'Go slowly', 'Crash']) {
      await page.keyboard.press('ArrowDown');
      await group.getByRole('radio', { name, exact: true, checked: true }).waitFor();
    }
    await page.getByRole('button', { name: 'b', exact: true, description: 'Crashes' }).waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it(
    'have an executor crash: its attempt is made again, and has its effect once',
    async () => {
      await stage.api.ask({
        method: 'PUT',
        path: '/modules/lab/faults/console-lab/b',
        body: { kind: 'crash' },
      });
      const taskId = await stage.api.create('console-lab');
      const page = await stage.come(`/tasks/${taskId}`);
      await stage.visitor.seesNode('c, succeeded');
      const timeline = page.getByRole('list', { name: 'Timeline' });
      await timeline.getByText('lease lost').first().waitFor();
      const effects = await stage.api.get<{ items: object[] }>(
        `/modules/lab/effects?taskId=${taskId}`,
      );
      const each = { applied: 1, undone: 0 };
      expect(effects.items).toMatchObject([each, each, each]);
      stage.expectPeace();
    },
  );
});
