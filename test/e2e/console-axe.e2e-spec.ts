import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { type Api, PRACTICE_FLOWS, Worker } from '../load/index.js';
import { REPOSITORY } from '../stack/index.js';

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
  'axe-works': { steps: [{ name: 'copy', normal: { module: 'axe-work', command: 'make' } }] },
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
  for (let count = 0; count < 4; count += 1) await api.run('lab-succeed');
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
  await put('/v1/limits/axe-work', { maxConcurrency: 20, ratePerSecond: 5, fairBy: 'tenant' });
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
  { path: '/executors', seen: cell('Limits of modules', 'axe-work') },
  { path: '/schedules', seen: cell('Schedules', 'a long night') },
  { path: '/notifications', seen: cell('Notifications', 'axe-on-call') },
  { path: '/locks', seen: cell('Locks', 'axe-fleet') },
  { path: '/operations', seen: cell('Operations', 'a bad release') },
  { path: '/audit', seen: cell('Audit', 'too late') },
  { path: '/new-flow', seen: (page) => page.getByRole('textbox', { name: 'Text of the flow' }) },
  { path: '/login', seen: (page) => page.getByRole('main') },
  { path: '/nowhere', seen: (page) => page.getByRole('main') },
];

/** The pages of tasks, which the tests look at besides. */
const TASK_PAGE = '/tasks/:taskId';

const CONSOLE = path.join(REPOSITORY, 'apps/console/src');

/** The addresses of all pages, as the console itself has them. */
function routes(): readonly string[] {
  const source = readFileSync(path.join(CONSOLE, 'shell/app.tsx'), 'utf8');
  return [...source.matchAll(/<Route path="\/console([^"]*)"/g)].map(([, route]) => route || '/');
}

function isOf(route: string): (page: Pick<Filled, 'path'>) => boolean {
  const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`);
  return ({ path: address }) => pattern.test(address.replace(/\?.*/, ''));
}

/** The files of the console that open dialogs. */
function dialogFiles(): readonly string[] {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => {
    return name.endsWith('.tsx') && /<Modal\s/.test(readFileSync(path.join(CONSOLE, name), 'utf8'));
  });
}

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

/** An attempt that runs at a worker. */
interface Work {
  readonly taskId: string;
  /** Ends it and its worker, so that the next one is alone. */
  readonly end: () => Promise<void>;
}

/** Starts a task, has a worker begin its step, and says how far that is. */
async function startWork(api: Api): Promise<Work> {
  const worker = await Worker.register(api, 'axe-work');
  const taskId = await api.create('axe-works');
  const [item] = await worker.poll();
  const progress = {
    state: 'copying',
    percent: 40,
    message: 'copies table 17 of 42, which has a long name',
  };
  const log = ['one', { message: 'two', level: 'warn' }, { message: 'three', level: 'error' }];
  await worker.report(item, 'heartbeat', { progress, log });
  const end = async (): Promise<void> => {
    await worker.report(item, 'complete');
    await worker.leave();
  };
  return { taskId, end };
}

/** Looks at the pages that tell of an attempt while it runs. */
async function lookAtWork(visitor: Visitor, taskId: string): Promise<void> {
  const { page } = visitor;
  await visitor.visit(`/tasks/${taskId}`);
  await page.getByRole('log', { name: 'Output' }).getByText('three').waitFor();
  await page.getByRole('progressbar', { name: 'Progress of copy' }).waitFor();
  const node = page.getByRole('group', { name: 'Flow graph' }).getByRole('button');
  const words = await node.first().getAttribute('aria-describedby');
  const said = page.locator(`[id="${words}"]`);
  expect(await said.textContent()).toBe(
    'copying, 40 % copies table 17 of 42, which has a long name',
  );
  await expectForEverybody(visitor, 'a task at a worker');
  await visitor.visit('/executors');
  await page.getByRole('button', { name: /^Drain / }).waitFor();
  await cell('What runs now', '40 %')(page).waitFor();
  await expectForEverybody(visitor, 'executors with a worker');
  await visitor.visit('/tasks?q=flow%3Aaxe-works');
  await cell('Tasks', '40 %')(page).waitFor();
  await expectForEverybody(visitor, 'a list with a task at a worker');
}

/** Opens a dialog of the page, looks at it, and leaves it. */
async function lookIn(visitor: Visitor, button: Locator): Promise<void> {
  const words = (await button.getAttribute('aria-label')) ?? (await button.textContent());
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

/** A claim stays with its worker for as long as anybody looks. */
const SETTINGS = { lease: '60s' };

describeInBrowser('pages that are full', () => {
  const stage = new ConsoleStage({ name: 'console-axe', flows: FLOWS, settings: SETTINGS });
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

    trial.it(`tell everybody what workers do, ${theme} and ${width} wide`, async () => {
      const { end, taskId } = await startWork(stage.api);
      await lookAtWork(await stage.invite({ theme, width }), taskId);
      await end();
      stage.expectPeace();
    });

    trial.it(`have dialogs for everybody, ${theme} and ${width} wide`, async () => {
      const [held = '', stuck = ''] = await (filling ??= fill());
      const visitor = await stage.invite({ theme, width });
      await lookInDialogs(visitor, Object.values(dialogsOf(held, stuck)).flat(), stage.api);
      stage.expectPeace();
    });
  }
});

it('no page and no dialog of the console is left out here', () => {
  const known = [...PAGES, { path: TASK_PAGE.replace(/:.*/, 'x') }];
  expect(routes().filter((route) => !known.some(isOf(route)))).toEqual([]);
  expect(Object.keys({ ...dialogsOf('', ''), ...ELSEWHERE }).toSorted()).toEqual(
    dialogFiles().toSorted(),
  );
});

/** Opens all of these dialogs, one after the other. */
async function lookInDialogs(
  visitor: Visitor,
  dialogs: readonly Opened[],
  api: Api,
): Promise<void> {
  for (const { at, buttons, before } of dialogs) {
    await visitor.visit(at);
    await before?.(visitor.page, api);
    for (const name of buttons) {
      const button = visitor.page.getByRole('button', { name, exact: true });
      await lookIn(visitor, button.first());
    }
  }
}

/** Dialogs that only others' pages lead to, and the tests that look at them. */
const ELSEWHERE = { 'operations/waiting-operations.tsx': 'console-operator' };

/** Where dialogs are opened. */
interface Opened {
  readonly at: string;
  /** Names of the buttons that open one each. */
  readonly buttons: readonly string[];
  /** Brings the page to where these buttons are. */
  readonly before?: (page: Page, api: Api) => Promise<unknown>;
}

/** Dialogs, by the files that they are in. */
function dialogsOf(held: string, stuck: string): Readonly<Record<string, readonly Opened[]>> {
  const live = '/tasks?q=status%3Alive';
  return {
    'task/action-dialog.tsx': [
      { at: `/tasks/${held}`, buttons: ['Retry', 'Skip', 'Terminate'] },
      { at: `/tasks/${stuck}`, buttons: ['Skip'] },
      { at: '/inbox', buttons: ['Approve: May this go out?'] },
    ],
    'task/signal-dialog.tsx': [{ at: `/tasks/${held}`, buttons: ['Send signal'] }],
    'operations/operation-dialog.tsx': [{ at: live, buttons: ['Act on all tasks found'] }],
    'operations/selected-dialog.tsx': [
      { at: live, buttons: ['Act on selected tasks'], before: tickFirst },
    ],
    'operations/operations-page.tsx': [
      { at: '/operations', buttons: ['Call off'], before: actSlowly },
    ],
    'tasks/view-bar.tsx': [{ at: live, buttons: ['Save this view'] }],
    'pages/schedule-dialog.tsx': [{ at: '/schedules', buttons: ['Trigger axe-nightly'] }],
    'pages/schedule-form.tsx': [{ at: '/schedules', buttons: ['New schedule'] }],
    'pages/notification-form.tsx': [
      { at: '/notifications', buttons: ['New notification', 'Change axe-on-call'] },
    ],
    'pages/limit-form.tsx': [
      { at: '/executors', buttons: ['Set limits', 'Change limits of axe-work'] },
    ],
    'ui/remove-dialog.tsx': [
      { at: '/notifications', buttons: ['Remove axe-on-call'] },
      { at: '/executors', buttons: ['Remove limits of axe-work'] },
    ],
    'editor/publish-dialog.tsx': [
      { at: '/flows/axe-held/edit', buttons: ['Publish'], before: changeText },
    ],
    'palette/palette.tsx': [{ at: '/', buttons: ['Go to, or do (Ctrl K)'] }],
    'shell/app.tsx': [{ at: '/', buttons: ['Keyboard shortcuts'] }],
  };
}

/** So slowly that it can still be called off. */
function actSlowly(_: Page, api: Api): Promise<unknown> {
  const order = { action: 'pause', q: 'flow:lab-succeed', reason: 'slow', ratePerSecond: 0.1 };
  return api.ask({ path: '/v1/operations', body: order });
}

async function tickFirst(page: Page): Promise<void> {
  await page
    .getByRole('checkbox', { name: /^Select / })
    .first()
    .check();
}

async function changeText(page: Page): Promise<void> {
  const text = page.getByRole('textbox').filter({ hasText: 'pivot' });
  await text.focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(' ');
}
