import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { TokenIssuer } from '#testing';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import type { WrittenSettings } from '../stack/index.js';

jest.setTimeout(300_000);

const FLOWS = { 'sign-in-asks': { steps: [{ name: 'ask', approve: { title: 'May it go?' } }] } };

describeInBrowser('signing in to the console at an identity provider', () => {
  let issuer: TokenIssuer;
  // The provider is of another site than the console: no strict cookie comes along from there.
  beforeAll(async () => {
    issuer = await TokenIssuer.open({ host: 'localhost' });
  });
  afterAll(() => issuer.close());

  const stage = new ConsoleStage({
    name: 'console-sign-in',
    flows: FLOWS,
    get settings(): WrittenSettings {
      const { id: oidcClient, secret: oidcClientSecret } = issuer.desk.client;
      const client = { oidcClient, oidcClientSecret };
      return { auth: 'keys,oidc', oidcIssuer: issuer.url, oidcAudience: 'backstep', ...client };
    },
  });
  stage.prepare();

  /** A person of a role opens a page, and is led to where one signs in. */
  async function come(role: string, path: string): Promise<Visitor> {
    issuer.desk.order = { claims: { roles: [role], preferred_username: 'alice' } };
    const visitor = await stage.invite();
    await visitor.visit(path);
    await visitor.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    return visitor;
  }

  async function goToProvider({ page }: Visitor): Promise<void> {
    await page.getByRole('link', { name: 'Sign in with your identity provider' }).click();
    await page.getByRole('link', { name: 'Let me in' }).waitFor();
  }

  const letIn = (page: Page): Promise<void> =>
    page.getByRole('link', { name: 'Let me in' }).click();

  stage.trial.it(
    'leads back to the page that was wanted, with the rights of the role',
    async () => {
      const visitor = await come('author', '/flows');
      const { page } = visitor;
      const way = page.getByRole('link', { name: 'Sign in with your identity provider' });
      await way.waitFor();
      expect(await visitor.violations()).toEqual([]);
      await goToProvider(visitor);
      await letIn(page);
      await page.getByRole('row').filter({ hasText: 'sign-in-asks' }).waitFor();
      expect(page.url()).toBe(`${stage.backstep.url}/console/flows`);
      await page.getByRole('link', { name: 'New flow' }).waitFor();
      await page.goBack();
      // Neither the code nor the way to it is in the history of the browser.
      expect(page.url()).not.toContain('code=');
      const cookies = await page.context().cookies();
      const kept = cookies.filter(({ domain }) => domain === '127.0.0.1');
      expect(kept.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
        { httpOnly: true, sameSite: 'Strict' },
      ]);
    },
  );

  stage.trial.it('says as whom, and signs out', async () => {
    const visitor = await come('viewer', '/flows');
    const { page } = visitor;
    await goToProvider(visitor);
    await letIn(page);
    await page.getByRole('row').filter({ hasText: 'sign-in-asks' }).waitFor();
    expect(await page.getByRole('link', { name: 'New flow' }).count()).toBe(0);
    await visitor.visit('/login');
    await page.getByText('You are signed in as alice (f3a1), with the role viewer.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed in as').waitFor({ state: 'detached' });
    await visitor.visit('/flows');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  stage.trial.it('leads back to the sign-in once the session is over', async () => {
    const visitor = await come('admin', '/audit');
    const { page } = visitor;
    await goToProvider(visitor);
    await letIn(page);
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toBe('/console/audit');
  });

  stage.trial.it('tells somebody whom the provider turns away, once and for all', async () => {
    const visitor = await come('viewer', '/flows');
    const { page } = visitor;
    await goToProvider(visitor);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByRole('link', { name: 'No', exact: true }).click();
    await page.getByText('SIGN_IN_FAILED').waitFor();
    expect(await page.locator('body').innerText()).toContain('access_denied');
    expect(asked.filter((url) => url.includes('/v1/session/oidc'))).toHaveLength(1);
  });

  stage.trial.it('tells of a provider that is away, and goes on when it is back', async () => {
    const visitor = await come('viewer', '/flows');
    const { page } = visitor;
    await goToProvider(visitor);
    issuer.desk.isAway = true;
    const before = issuer.desk.brought;
    await letIn(page);
    await page.getByText('ISSUER_UNAVAILABLE').waitFor();
    expect(issuer.desk.brought).toBe(before + 1);
    issuer.desk.isAway = false;
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'sign-in-asks' }).waitFor();
  });
});
