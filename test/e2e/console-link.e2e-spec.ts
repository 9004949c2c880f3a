import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import { CliChild } from '../cli/cli-child.js';

jest.setTimeout(300_000);

/** All that scripts of the page can read, names and values. */
const KEPT = 'JSON.stringify({ ...localStorage })';
const FLOWS = { 'link-asks': { steps: [{ name: 'ask', approve: { title: 'May it go?' } }] } };

describeInBrowser('a link that signs in to the console', () => {
  const settings = { auth: 'token' } as const;
  const stage = new ConsoleStage({ name: 'console-link', flows: FLOWS, settings });
  stage.prepare();

  async function newLink(): Promise<string> {
    const data = `${stage.trial.folder}/data`;
    const { url } = stage.backstep;
    const env = { BACKSTEP_DATA: data, BACKSTEP_URL: url };
    const { code, stdout } = await new CliChild(['console'], { cwd: stage.trial.folder, env }).end;
    expect(code).toBe(0);
    return stdout.trim();
  }

  /** A person opens a link, and every address that the browser asks is noted. */
  async function follow(link: string): Promise<Visitor & { readonly asked: string[] }> {
    const visitor = await stage.invite();
    const asked: string[] = [];
    visitor.page.on('request', (request) => asked.push(request.url()));
    await visitor.page.goto(link);
    return Object.assign(visitor, { asked });
  }

  stage.trial.it('signs in, and leaves its secret nowhere', async () => {
    const visitor = await follow(await newLink());
    const { asked, page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByText('Everything is ready').waitFor();
    expect(page.url()).toBe(`${stage.backstep.url}/console/`);
    expect(asked.filter((address) => address.includes('bso_'))).toEqual([]);
    await visitor.visit('/login');
    await page.getByText(/^You are signed in as \S+, with the role admin\.$/).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.goBack();
    expect(page.url()).not.toContain('ticket');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const stored = await page.evaluate<string>(KEPT);
    // Neither half of the session is where the other one is.
    expect(stored).not.toContain(cookie!.value);
    expect(`${stored}${cookie!.value}`).not.toMatch(/bst_|bso_/);
    stage.expectPeace();
  });

  stage.trial.it('signs nobody in a second time', async () => {
    const link = await newLink();
    const first = await follow(link);
    await first.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const second = await follow(link);
    await second.page.getByText('This link was used before').waitFor();
    expect(second.page.url()).toBe(`${stage.backstep.url}/console/login`);
    expect(await second.violations()).toEqual([]);
    await second.visit('/flows');
    await second.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  stage.trial.it('has a session that another port of the host cannot use', async () => {
    const { page } = await follow(await newLink());
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const [{ name, value } = { name: '', value: '' }] = await page.context().cookies();
    const headers = { cookie: `${name}=${value}`, 'x-backstep-console': '1' };
    expect((await fetch(`${stage.backstep.url}/v1/tasks`, { headers })).status).toBe(401);
    await page.getByRole('link', { name: 'Flows', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'link-asks' }).waitFor();
  });

  stage.trial.it('ends with a sign out, which the page forgets as well', async () => {
    const visitor = await follow(await newLink());
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await visitor.visit('/login');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed in as').waitFor({ state: 'detached' });
    expect(await page.evaluate<string>(KEPT)).not.toContain('proof');
    expect(await page.context().cookies()).toEqual([]);
  });
});
