import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS, type TaskView } from '../load/index.js';
import { createKey } from '../stack/index.js';

jest.setTimeout(240_000);

const CLICKS_MAX = 4;
const MANY = 50;

const FLOWS = {
  ...PRACTICE_FLOWS,
  'operator-lock': {
    locks: [{ name: 'operator-fleet' }],
    steps: [
      { name: 'slow', normal: { module: 'lab', command: 'sleep', parameters: { ms: 3_600_000 } } },
    ],
  },
  'operator-asks': { steps: [{ name: 'ask', approve: { title: 'May this go out?' } }] },
  'operator-input': {
    input: { type: 'object', properties: { name: { type: 'string' } } },
    onFailure: 'hold',
    steps: [
      {
        name: 'take',
        normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } },
      },
    ],
  },
};

describeInBrowser('ten tasks of an operator, each from the overview', () => {
  const stage = new ConsoleStage({ name: 'console-operator', flows: FLOWS });
  stage.prepare();

  const few = {
    /** A test that begins at the overview, with a number of clicks to spend. */
    it(rule: string, work: (visitor: Visitor) => Promise<void>): void {
      stage.trial.it(rule, async () => {
        const visitor = await stage.invite();
        await work(visitor);
        console.log(`${rule}: ${visitor.clicks} clicks`);
        expect(visitor.clicks).toBeGreaterThan(0);
        expect(visitor.clicks).toBeLessThanOrEqual(CLICKS_MAX);
        stage.expectPeace();
      });
    },
  };

  few.it('finds the failed one of the last day by a label', async (visitor) => {
    const labels = { team: 'operators' };
    const body = { flow: 'lab-group-undone', labels };
    const path = '/v1/tasks?wait=20s';
    const { taskId } = (await stage.api.ask<TaskView>({ path, body })).body;
    const other = await stage.api.run('lab-group-undone');
    await visitor.visit('/');
    await visitor.click(pageOf(visitor, 'Tasks'));
    const search = visitor.page.getByRole('searchbox', { name: 'Search tasks' });
    await visitor.write(search, 'label.team:operators status:failed age:<1d');
    await rowOf(visitor, other.taskId).waitFor({ state: 'detached' });
    await visitor.click(rowOf(visitor, taskId));
    await visitor.seesNode('fail, failed');
  });

  few.it('says why a task is stuck', async (visitor) => {
    const { taskId } = await stage.api.run('lab-stuck');
    await visitor.visit('/');
    await visitor.click(visitor.page.getByRole('link', { name: /Waits for a person/ }));
    await visitor.click(rowOf(visitor, taskId));
    const why = 'rollback of step stuck (lab.fail) failed: told to';
    // The notice stands above the timeline, which says the same.
    await visitor.page.getByText(why).first().waitFor();
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
  });

  few.it('shows what a rollback will do', async (visitor) => {
    const taskId = await stage.api.create('lab-long');
    await untilTask(stage.api, taskId, isAt('sleep'));
    await visitor.visit('/');
    await visitor.click(rowOf(visitor, taskId));
    await visitor.click(visitor.page.getByRole('button', { name: 'Roll back' }));
    const dialog = visitor.page.getByRole('dialog', { name: 'Roll back' });
    await dialog.getByText('before: lab.undo_effect').waitFor();
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
  });

  few.it('retries with a changed parameter', async (visitor) => {
    const { taskId } = await stage.api.run('operator-input', { name: 'old' });
    await visitor.visit('/');
    await visitor.click(rowOf(visitor, taskId));
    await visitor.click(visitor.page.getByRole('button', { name: 'Retry' }));
    const dialog = visitor.page.getByRole('dialog', { name: 'Retry' });
    await visitor.write(dialog.getByRole('textbox', { name: 'Reason' }), 'the other one');
    await visitor.write(dialog.getByRole('textbox', { name: /^Changed/ }), '{"name": "new"}');
    await visitor.click(dialog.getByRole('button', { name: 'Retry' }));
    await dialog.waitFor({ state: 'detached' });
    expect((await stage.api.task(taskId)).parameters).toEqual({ name: 'new' });
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
  });

  few.it('approves what waits for it', async (visitor) => {
    const taskId = await stage.api.create('operator-asks');
    await visitor.visit('/');
    await visitor.click(rowOf(visitor, taskId));
    await visitor.click(visitor.page.getByRole('button', { name: 'Approve' }));
    const dialog = visitor.page.getByRole('dialog', { name: 'Approve' });
    await visitor.write(dialog.getByRole('textbox').first(), 'it may');
    await visitor.click(dialog.getByRole('button', { name: 'Approve' }));
    await visitor.seesNode('ask, succeeded');
  });

  few.it('rolls back fifty at once', async (visitor) => {
    const names = Array.from({ length: MANY }, () => 'lab-long');
    const ids = await Promise.all(names.map((name) => stage.api.create(name)));
    const { page } = visitor;
    await visitor.visit('/');
    await visitor.click(pageOf(visitor, 'Tasks'));
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Search tasks' });
    await visitor.write(search, 'flow:lab-long status:live');
    await visitor.click(page.getByRole('button', { name: 'Act on all tasks found' }));
    const dialog = page.getByRole('dialog');
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await visitor.write(reason, 'a bad release');
    const action = dialog.getByRole('combobox', { name: 'Action' });
    await action.selectOption('rollback');
    visitor.clicks += 1;
    await reason.press('Enter');
    await dialog.getByText(`${MANY} would be acted on`).waitFor();
    await visitor.click(dialog.getByRole('button', { name: 'Roll back' }));
    for (const id of ids) {
      expect((await untilTask(stage.api, id)).status).toBe('rolled_back');
    }
  });

  few.it('sees who terminated what', async (visitor) => {
    const taskId = await stage.api.create('lab-long');
    const headers = { 'x-backstep-actor': 'mallory' };
    const body = { reason: 'by mistake' };
    await stage.api.ask({ path: `/v1/tasks/${taskId}:terminate`, body, headers });
    await visitor.visit('/');
    await more(visitor, 'Audit');
    const row = visitor.page.getByRole('row', { name: /mallory .*:terminate .*by mistake$/ });
    await row.getByRole('link', { name: taskId }).waitFor();
  });

  few.it('pauses the schedule of a flow', async (visitor) => {
    const path = '/v1/schedules/operator-nightly';
    const schedule = { flow: 'lab-succeed', cron: '0 0 29 2 *' };
    await stage.api.ask({ method: 'PUT', path, body: schedule });
    await visitor.visit('/');
    await more(visitor, 'Schedules');
    await visitor.click(visitor.page.getByRole('button', { name: 'Pause operator-nightly' }));
    const dialog = visitor.page.getByRole('dialog');
    await visitor.write(dialog.getByRole('textbox', { name: 'Reason' }), 'a long night');
    await visitor.click(dialog.getByRole('button', { name: 'Pause' }));
    await visitor.page.getByRole('cell', { name: 'paused' }).waitFor();
    expect(await stage.api.get(path)).toMatchObject({ pause: { reason: 'a long night' } });
  });

  few.it('finds who holds a lock', async (visitor) => {
    const taskId = await stage.api.create('operator-lock');
    await untilTask(stage.api, taskId, isAt('slow'));
    await visitor.visit('/');
    await more(visitor, 'Locks');
    const holders = visitor.page.getByRole('list', { name: 'Holders of operator-fleet' });
    await visitor.click(holders.getByRole('link', { name: taskId }));
    await visitor.seesNode('slow, running');
    await stage.api.act(taskId, 'terminate', { reason: 'seen enough' });
  });

  few.it('compares two versions', async (visitor) => {
    const path = '/v1/flows/operator-versions';
    const step = (retry: number) => [{ normal: { module: 'lab', command: 'succeed', retry } }];
    for (const retry of [0, 2]) {
      const { status } = await stage.api.ask({ method: 'PUT', path, body: step(retry) });
      expect([200, 201]).toContain(status);
    }
    await visitor.visit('/');
    await visitor.click(pageOf(visitor, 'Flows'));
    const { page } = visitor;
    await visitor.click(page.getByRole('link', { name: 'operator-versions', exact: true }));
    await visitor.click(page.getByRole('link', { name: 'Compare with version 1' }));
    const changes = page.getByRole('table', { name: 'Changed: succeed' });
    await changes.getByRole('row', { name: '/steps/0/normal/retry 0 2' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
  });
});

describeInBrowser('an action that needs two people, in two windows', () => {
  const keys = new Map<string, string>();
  const stage = new ConsoleStage({
    name: 'console-two-people',
    flows: FLOWS,
    settings: { auth: 'keys', approvals: 'undo on lab-* needs two' },
    before: async (folder) => {
      for (const name of ['ann', 'ben']) keys.set(name, await createKey(folder, name));
    },
  });
  stage.prepare();

  /** Lets an account in, which signs in as a person does. */
  async function enter(name: string): Promise<Visitor> {
    const visitor = await stage.invite();
    await visitor.visit('/login');
    await visitor.page.getByLabel('API key').fill(keys.get(name) ?? '');
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return visitor;
  }

  async function ask<T>(path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${keys.get('ann')}` };
    const more = { headers, withinMs: 60_000, ...(body && { body }) };
    return (await stage.api.ask<T>({ path, ...more })).body;
  }

  /** Asks for the undo of a task in this window; it then waits in the inbox. */
  async function askForUndo({ page }: Visitor): Promise<string> {
    const { taskId } = await ask<TaskView>('/v1/tasks?wait=20s', { flow: 'lab-four-steps' });
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('link', { name: new RegExp(`${taskId}$`) }).click();
    await act(page, 'Undo', 'not needed');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    return taskId;
  }

  const statusOf = async (taskId: string): Promise<string> =>
    (await ask<TaskView>(`/v1/tasks/${taskId}`)).status;

  stage.trial.it('is done once the second approves, and not by the first alone', async () => {
    const [ann, ben] = [await enter('ann'), await enter('ben')];
    const taskId = await askForUndo(ann);
    const refusal = await answer(ann, taskId, 'Approve');
    await refusal.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    expect(await statusOf(taskId)).toBe('succeeded');
    await ben.page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await ben.page.getByRole('row').filter({ hasText: taskId }).waitFor();
    expect(await ben.violations()).toEqual([]);
    await answer(ben, taskId, 'Approve');
    const waiting = ben.page.getByRole('row').filter({ hasText: taskId });
    await waiting.waitFor({ state: 'detached' });
    await ben.page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await ben.page.getByRole('link', { name: new RegExp(`${taskId}$`) }).click();
    await ben.page.getByRole('status').filter({ hasText: 'Rolled back' }).waitFor();
    const timeline = ben.page.getByRole('list', { name: 'Timeline' });
    await timeline
      .getByText(/approved by ben/)
      .first()
      .waitFor();
    expect([ben.complaints, ben.strays, ann.strays]).toEqual([[], [], []]);
  });

  stage.trial.it(
    'has signed in for all windows of the browser, out of reach of scripts',
    async () => {
      const { page } = await enter('ann');
      expect(await page.evaluate('document.cookie')).toBe('');
      const stored = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
      expect(stored).not.toContain('bsk_');
      const other = await page.context().newPage();
      await other.goto(`${stage.backstep.url}/console/login`);
      await other.getByText('You are signed in as ann').waitFor();
      await other.getByRole('button', { name: 'Sign out' }).click();
      await other.getByText('You are signed in as ann').waitFor({ state: 'detached' });
      const refused = await other.evaluate(
        `fetch('/v1/tasks', { headers: { 'x-backstep-console': '1' } }).then(({ status }) => status)`,
      );
      expect(refused).toBe(401);
    },
  );

  stage.trial.it('is never done once the second rejects', async () => {
    const [ann, ben] = [await enter('ann'), await enter('ben')];
    const taskId = await askForUndo(ann);
    await ben.page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await answer(ben, taskId, 'Reject');
    for (const { page } of [ann, ben]) {
      const row = page.getByRole('row').filter({ hasText: taskId });
      await row.waitFor({ state: 'detached' });
    }
    expect(await statusOf(taskId)).toBe('succeeded');
    const { items } = await ask<{ items: readonly { taskId: string; consent: object }[] }>(
      '/v1/operations?status=rejected',
    );
    const decision = { actor: 'ben', approved: false };
    expect(items).toMatchObject([{ taskId, consent: { decision } }]);
    stage.expectPeace();
  });
});

function pageOf({ page }: Visitor, name: string): Locator {
  return page.getByRole('navigation').getByRole('link', { name, exact: true });
}

function rowOf({ page }: Visitor, taskId: string): Locator {
  return page.getByRole('link', { name: new RegExp(`${taskId}$`) });
}

async function more(visitor: Visitor, name: string): Promise<void> {
  await visitor.click(visitor.page.getByText('More', { exact: true }));
  await visitor.click(pageOf(visitor, name));
}

/** Presses the button of an action and gives a reason; returns its dialog. */
async function act(scope: Locator | Page, words: string, reason: string): Promise<Locator> {
  await scope.getByRole('button', { name: words }).click();
  const page = 'page' in scope ? scope.page() : scope;
  const dialog = page.getByRole('dialog', { name: words });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
  await dialog.getByRole('button', { name: words }).click();
  return dialog;
}

/** Answers what waits for a second person about a task. */
function answer({ page }: Visitor, taskId: string, words: string): Promise<Locator> {
  const row = page.getByRole('row').filter({ hasText: taskId });
  return act(row, words, `${words} says the second`);
}
