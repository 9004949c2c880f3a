import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { isAt, untilTask } from '../ledger/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import { createKey } from '../stack/index.js';

jest.setTimeout(300_000);

const ROLES = ['viewer', 'starter', 'operator', 'author', 'admin'] as const;
type Role = (typeof ROLES)[number];

const FLOWS = {
  ...PRACTICE_FLOWS,
  'roles-asks': { steps: [{ name: 'ask', approve: { title: 'May this go out?' } }] },
};

/** The API as an admin uses it. */
class AdminApi extends Api {
  constructor(
    url: string,
    private readonly key: string,
  ) {
    super(url);
  }

  override ask<T>(ask: Parameters<Api['ask']>[0]) {
    const headers = { authorization: `Bearer ${this.key}`, ...ask.headers };
    return super.ask<T>({ ...ask, headers });
  }
}

/** Something to press, and the first role that may. */
interface Control {
  readonly role: Role;
  readonly name: string;
  readonly as?: 'button' | 'link';
}

/** A page, what shows that it is there, and all on it that is not for everybody. */
interface Looked {
  readonly path: string;
  readonly ready: (page: Page) => Locator;
  readonly controls: readonly Control[];
}

const of = (role: Role, ...names: readonly string[]): readonly Control[] =>
  names.map((name) => ({ role, name }));

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name });
const row = (text: string) => (page: Page) => page.getByRole('row').filter({ hasText: text });

/** Tasks that are looked at. */
interface Ids {
  readonly long: string;
  readonly over: string;
  readonly asks: string;
}

async function fill(api: AdminApi): Promise<Ids> {
  const put = (path: string, body: object) => api.ask({ method: 'PUT', path, body });
  await put('/v1/schedules/roles-nightly', { flow: 'lab-succeed', cron: '0 0 29 2 *' });
  const channel = { type: 'webhook', url: 'http://127.0.0.1:9/in' };
  await put('/v1/notifications/roles-on-call', { on: ['failed'], channel });
  const asks = await api.create('roles-asks');
  const over = (await api.run('lab-succeed')).taskId;
  const long = await api.create('lab-long');
  await untilTask(api, long, isAt('sleep'));
  return { asks, over, long };
}

function taskPages(ids: Ids): readonly Looked[] {
  return [
    {
      path: `/tasks/${ids.long}`,
      ready: (page) => page.getByRole('button', { name: 'sleep, running' }),
      controls: of('operator', 'Pause', 'Roll back', 'Reset', 'Terminate', 'Send signal'),
    },
    {
      path: `/tasks/${ids.over}`,
      ready: (page) => page.getByRole('button', { name: 'third, succeeded' }),
      controls: [...of('starter', 'Restart'), ...of('operator', 'Undo', 'Reset')],
    },
    {
      path: `/tasks/${ids.asks}`,
      ready: (page) => page.getByRole('button', { name: 'ask, waiting' }),
      controls: of('operator', 'Approve', 'Reject'),
    },
    {
      path: '/tasks?q=status%3Alive',
      ready: row('lab-long'),
      controls: of('operator', 'Act on all tasks found'),
    },
  ];
}

const OTHER_PAGES: readonly Looked[] = [
  {
    path: '/inbox',
    ready: row('May this go out?'),
    controls: of('operator', 'Approve: May this go out?', 'Reject: May this go out?'),
  },
  {
    path: '/flows',
    ready: row('lab-long'),
    controls: [{ role: 'author', name: 'New flow', as: 'link' }],
  },
  {
    path: '/flows/lab-long',
    ready: heading('Versions'),
    controls: [...of('starter', 'Start'), { role: 'author', name: 'Edit', as: 'link' }],
  },
  {
    path: '/flows/lab-long/edit',
    ready: (page) => page.getByRole('region', { name: 'Text' }),
    controls: of('author', 'Publish', 'Plan'),
  },
  {
    path: '/schedules',
    ready: row('roles-nightly'),
    controls: [
      ...of('starter', 'Trigger roles-nightly'),
      ...of('author', 'New schedule', 'Pause roles-nightly'),
    ],
  },
  {
    path: '/notifications',
    ready: row('roles-on-call'),
    controls: [
      ...of('viewer', 'Messages roles-on-call'),
      ...of('author', 'New notification', 'Test roles-on-call'),
      ...of('author', 'Change roles-on-call', 'Remove roles-on-call'),
    ],
  },
];

/** All that may be pressed on a page is there, and nothing else that is not for everybody. */
async function expectControls(visitor: Visitor, role: Role, looked: Looked): Promise<void> {
  const { controls, path, ready } = looked;
  await visitor.visit(path);
  await ready(visitor.page).first().waitFor();
  const main = visitor.page.getByRole('main');
  const find = ({ as = 'button', name }: Control): Locator =>
    main.getByRole(as, { name, exact: true });
  const wanted = controls.filter((one) => ROLES.indexOf(role) >= ROLES.indexOf(one.role));
  // The owner of the session may be known a moment after the page is there.
  for (const control of wanted) await find(control).waitFor();
  const shown: string[] = [];
  for (const control of controls) {
    if ((await find(control).count()) > 0) shown.push(control.name);
  }
  expect([path, shown]).toEqual([path, wanted.map(({ name }) => name)]);
  expect([path, await visitor.violations()]).toEqual([path, []]);
}

describeInBrowser('what the console shows to each role', () => {
  let admin = '';
  const stage = new ConsoleStage({
    name: 'console-roles',
    flows: FLOWS,
    settings: { auth: 'keys' },
    before: async (folder) => {
      admin = await createKey(folder, 'root');
    },
  });
  stage.prepare();
  const api = (): AdminApi => new AdminApi(stage.backstep.url, admin);
  let filling: Promise<Ids> | undefined;
  const filled = (): Promise<Ids> => (filling ??= fill(api()));

  /** Lets an account of a role in, which signs in as a person does. */
  async function enter(role: Role): Promise<Visitor> {
    const body = { name: `a-${role}`, role };
    const made = await api().ask<{ key: string }>({ path: '/v1/keys', body });
    const visitor = await stage.invite();
    await visitor.visit('/login');
    await signIn(visitor.page, made.body.key);
    return visitor;
  }

  for (const role of ROLES) {
    stage.trial.it(`is all that a key of the role ${role} may press, no more`, async () => {
      const pages = [...taskPages(await filled()), ...OTHER_PAGES];
      const visitor = await enter(role);
      for (const looked of pages) await expectControls(visitor, role, looked);
      stage.expectPeace();
    });
  }

  stage.trial.it(
    'has the audit log for an admin alone, and asks for it in no other name',
    async () => {
      for (const role of ['operator', 'author'] as const) {
        const { page, visit } = bound(await enter(role));
        await page.getByText('More', { exact: true }).click();
        const links = page.getByRole('navigation').getByRole('link');
        expect(await links.filter({ hasText: /^Operations$/ }).count()).toBe(1);
        expect(await links.filter({ hasText: /^Audit$/ }).count()).toBe(0);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Command' }).fill('audit');
        await page.getByRole('status').filter({ hasText: /\S/ }).first().waitFor();
        expect(await page.getByRole('option', { name: /^Audit/ }).count()).toBe(0);
        await visit('/audit');
        await page.getByText('This page needs the role admin').waitFor();
      }
      const { page, visit } = bound(await enter('admin'));
      await page.getByText('More', { exact: true }).click();
      await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
      await page.getByRole('table', { name: 'Audit' }).getByRole('row').nth(1).waitFor();
      await visit('/audit');
      await page.getByRole('table', { name: 'Audit' }).waitFor();
      stage.expectPeace();
    },
  );

  stage.trial.it('changes with the person who signs in, without a reload', async () => {
    await filled();
    const { page } = await enter('viewer');
    await page.getByRole('link', { name: 'Flows', exact: true }).click();
    await row('lab-long')(page).waitFor();
    expect(await page.getByRole('link', { name: 'New flow' }).count()).toBe(0);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, admin);
    await page.getByRole('link', { name: 'Flows', exact: true }).click();
    await page.getByRole('link', { name: 'New flow' }).waitFor();
    stage.expectPeace();
  });
});

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

function bound(visitor: Visitor): Pick<Visitor, 'page' | 'visit'> {
  return { page: visitor.page, visit: (path) => visitor.visit(path) };
}
