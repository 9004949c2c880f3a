import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { type Api, PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(300_000);

const lab = (command: string, parameters: object = {}) => ({ module: 'lab', command, parameters });

const FLOWS = {
  ...PRACTICE_FLOWS,
  'axe-lock': {
    locks: [{ name: 'axe-fleet' }],
    steps: [{ name: 'slow', normal: lab('sleep', { ms: 3_600_000 }) }],
  },
  'axe-asks': { steps: [{ name: 'ask', approve: { title: 'May this go out?' } }] },
  'axe-held': {
    onFailure: 'hold',
    input: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
    steps: [
      { name: 'take', pivot: true, normal: lab('succeed', { output: { size: 3 } }) },
      { name: 'give', normal: lab('fail', { kind: 'terminal', message: 'told to' }) },
    ],
  },
  'axe-unserved': { steps: [{ name: 'far', normal: { module: 'elsewhere', command: 'do' } }] },
};

/** A page, and what shows that it is not empty. */
interface Filled {
  readonly path: string;
  readonly seen: (page: Page) => Locator;
}

const cell = (table: string, text: string | RegExp) => (page: Page) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text }).first();

const SIGHTS = (['light', 'dark'] as const).flatMap((theme) =>
  [360, 1_280].map((width) => ({ theme, width })),
);

/** Tasks of every status, with labels and what people said. */
async function fillTasks(api: Api): Promise<readonly string[]> {
  const body = { flow: 'lab-group-undone', labels: { team: 'payments', env: 'test' } };
  await api.ask({ path: '/v1/tasks?wait=20s', body });
  await api.run('lab-succeed');
  const held = await api.run('axe-held', { size: 4 });
  const stuck = await api.run('lab-stuck');
  const asks = await api.create('axe-asks');
  const [holder, paused, ended] = await Promise.all([
    api.create('axe-lock'),
    api.create('lab-long'),
    api.create('lab-long'),
  ]);
  await untilTask(api, holder, isAt('slow'));
  await api.create('axe-lock');
  await api.act(paused, 'pause', { reason: 'a quiet night' });
  await api.act(ended, 'terminate', { reason: 'by mistake' });
  // Refused: the audit log tells of it too.
  await api.act(ended, 'pause', { reason: 'too late' });
  return [held.taskId, stuck.taskId, asks, holder, paused, ended];
}

/** One of each that is listed, some in trouble. */
async function fillLists(api: Api, folder: string): Promise<void> {
  const put = (path: string, body: object) => api.ask({ method: 'PUT', path, body });
  const post = (path: string, body?: object) => api.ask({ method: 'POST', path, body });
  await put('/v1/schedules/axe-nightly', { flow: 'lab-succeed', cron: '0 0 29 2 *' });
  await put('/v1/schedules/axe-paused', { flow: 'lab-succeed', every: '1h' });
  await post('/v1/schedules/axe-paused:pause', { reason: 'a long night' });
  await post('/v1/schedules/axe-nightly:trigger', { reason: 'to try it' });
  const channel = { type: 'webhook', url: 'http://127.0.0.1:9/in' };
  await put('/v1/notifications/axe-on-call', { on: ['failed', 'held'], channel });
  await post('/v1/notifications/axe-on-call:test');
  const act = { action: 'pause', q: 'flow:lab-succeed', reason: 'a bad release' };
  await post('/v1/operations', act);
  await post('/v1/operations', { ...act, dryRun: true });
  for (const retry of [0, 2]) {
    await put('/v1/flows/axe-versions', [{ normal: { ...lab('succeed'), retry } }]);
  }
  const broken = path.join(folder, 'flow-configs', 'axe-broken.json');
  await writeFile(broken, '{ "axe-broken": [{"normal": {"module": "lab"}}] }');
}

const PAGES: readonly Filled[] = [
  { path: '/', seen: (page) => page.getByRole('list', { name: 'Failing steps' }) },
  { path: '/tasks', seen: cell('Tasks', 'lab-group-undone') },
  { path: '/tasks?q=label.team%3Apayments', seen: cell('Tasks', 'team=payments') },
  { path: '/inbox', seen: cell('Waits for an approval', 'May this go out?') },
  { path: '/flows', seen: (page) => page.getByRole('region', { name: 'Broken flow files' }) },
  { path: '/flows/axe-versions?compare=1', seen: cell('Changed: succeed', 'retry') },
  { path: '/flows/axe-held', seen: (page) => page.getByRole('textbox', { name: /^size/ }) },
  {
    path: '/flows/axe-versions/edit',
    seen: (page) => page.getByRole('textbox').filter({ hasText: 'succeed' }),
  },
  { path: '/executors', seen: cell('What runs now', 'axe-lock') },
  { path: '/schedules', seen: cell('Schedules', 'a long night') },
  { path: '/notifications', seen: cell('Notifications', 'axe-on-call') },
  { path: '/locks', seen: cell('Locks', 'axe-fleet') },
  { path: '/operations', seen: cell('Operations', 'a bad release') },
  { path: '/audit', seen: cell('Audit', 'too late') },
];

/** On a page that is wider than its window: the elements that reach beyond the window, as text. */
const BEYOND_THE_EDGE = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const beyond = [...document.querySelectorAll('body *')].filter((element) => {
    return element.getBoundingClientRect().right > clientWidth;
  });
  return [clientWidth, scrollWidth, ...beyond.map((element) => element.outerHTML.slice(0, 200))];
})()`;

/** Nothing is in the way of anybody, and nothing stands beyond the edge. */
async function expectForEverybody(visitor: Visitor, at: string): Promise<void> {
  expect([at, await visitor.violations()]).toEqual([at, []]);
  expect([at, await visitor.page.evaluate(BEYOND_THE_EDGE)]).toEqual([at, []]);
}

/** Opens a dialog of the page, looks at it, and leaves it. */
async function lookIn(visitor: Visitor, button: Locator): Promise<void> {
  const words = await button.textContent();
  await button.click();
  const dialog = visitor.page.getByRole('dialog');
  await dialog.waitFor();
  await expectForEverybody(visitor, `the dialog of ${words}`);
  await visitor.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

async function lookAtTask(visitor: Visitor, taskId: string): Promise<void> {
  await visitor.visit(`/tasks/${taskId}`);
  await visitor.page.getByRole('group', { name: 'Flow graph' }).waitFor();
  const timeline = visitor.page.getByRole('list', { name: 'Timeline' });
  await timeline.getByRole('listitem').first().waitFor();
  await expectForEverybody(visitor, `/tasks/${taskId}`);
}

/** Opens each form of a drawing, that of a picked step and that of a new one. */
async function lookAtDrawing(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const tools = page.getByRole('region', { name: 'Change the drawing' });
  const node = page.getByRole('button', { name: 'take', exact: true });
  await node.focus();
  await page.keyboard.press('Enter');
  await tools.getByRole('form', { name: 'Step take' }).waitFor();
  await expectForEverybody(visitor, 'the form of a step');
  await tools.getByRole('button', { name: 'Add a step after take' }).click();
  const form = tools.getByRole('form', { name: 'Add a step after take' });
  await form.getByRole('combobox', { name: /^Command/ }).waitFor();
  await expectForEverybody(visitor, 'the form of a new step');
}

/** Makes a plan that cannot be made, then one that has steps and assumptions. */
async function lookAtPlan(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const panel = page.getByRole('region', { name: 'Plan', exact: true });
  const parameters = panel.getByRole('textbox', { name: /^Sample parameters/ });
  const make = panel.getByRole('button', { name: 'Plan', exact: true });
  await parameters.fill('[');
  await make.click();
  await panel.getByRole('alert').filter({ hasText: 'not a JSON object' }).waitFor();
  await expectForEverybody(visitor, 'a plan that cannot be made');
  await parameters.fill('{ "size": 4 }');
  await make.click();
  await panel.getByRole('row').filter({ hasText: 'give' }).waitFor();
  await expectForEverybody(visitor, 'a plan');
}

describeInBrowser('pages that are full', () => {
  const stage = new ConsoleStage({ name: 'console-axe', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();
  let filling: Promise<readonly string[]> | undefined;

  /** Fills everything once, whichever test comes first. */
  async function fill(): Promise<readonly string[]> {
    await fillLists(stage.api, trial.folder);
    return fillTasks(stage.api);
  }

  for (const { theme, width } of SIGHTS) {
    trial.it(`are for everybody, ${theme} and ${width} wide`, async () => {
      const tasks = await (filling ??= fill());
      const visitor = await stage.invite({ theme, width });
      for (const { path, seen } of PAGES) {
        await visitor.visit(path);
        await seen(visitor.page).waitFor();
        await expectForEverybody(visitor, path);
      }
      for (const taskId of tasks) await lookAtTask(visitor, taskId);
      stage.expectPeace();
    });

    trial.it(`let everybody write a flow, ${theme} and ${width} wide`, async () => {
      await (filling ??= fill());
      const visitor = await stage.invite({ theme, width });
      await visitor.visit('/flows/axe-held/edit');
      await lookAtDrawing(visitor);
      await lookAtPlan(visitor);
      stage.expectPeace();
    });

    trial.it(`have dialogs for everybody, ${theme} and ${width} wide`, async () => {
      const [held = '', stuck = ''] = await (filling ??= fill());
      const visitor = await stage.invite({ theme, width });
      for (const [path, names] of dialogsOf(held, stuck)) {
        await visitor.visit(path);
        for (const name of names) {
          const button = visitor.page.getByRole('main').getByRole('button', { name, exact: true });
          await lookIn(visitor, button);
        }
      }
      stage.expectPeace();
    });
  }
});

/** Buttons that open dialogs, by the addresses of their pages. */
function dialogsOf(held: string, stuck: string): readonly (readonly [string, readonly string[]])[] {
  return [
    [`/tasks/${held}`, ['Retry', 'Skip', 'Terminate']],
    [`/tasks/${stuck}`, ['Skip']],
    ['/tasks?q=status%3Alive', ['Act on all tasks found']],
    ['/inbox', ['Approve: May this go out?']],
    ['/schedules', ['Trigger axe-nightly', 'New schedule']],
    ['/notifications', ['New notification', 'Change axe-on-call', 'Remove axe-on-call']],
  ];
}
