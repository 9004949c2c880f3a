import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser, type Visitor } from '../browser/index.js';
import type { WrittenSettings } from '../stack/index.js';

jest.setTimeout(300_000);

const SECRET = 's'.repeat(32);
const BINDINGS = [
  { group: 'ops', role: 'operator' },
  { subject: 'vera', role: 'viewer' },
];
const FLOWS = { 'proxy-asks': { steps: [{ name: 'ask', approve: { title: 'May it go?' } }] } };

describeInBrowser('the console behind a proxy that authenticates people', () => {
  const stage = new ConsoleStage({
    name: 'console-proxy',
    flows: FLOWS,
    before: async (folder) => {
      writeFileSync(path.join(folder, 'proxy.secret'), SECRET, { mode: 0o600 });
      const bindings = JSON.stringify({ bindings: BINDINGS });
      writeFileSync(path.join(folder, 'access.jsonc'), bindings);
    },
    get settings(): WrittenSettings {
      const { folder } = stage.trial;
      const proxySecretFile = path.join(folder, 'proxy.secret');
      return { auth: 'proxy', proxySecretFile, access: path.join(folder, 'access.jsonc') };
    },
  });
  stage.prepare();

  /** Every request of a browser has the headers that a proxy adds. */
  async function come(actor: string, groups: string): Promise<Visitor> {
    const visitor = await stage.invite();
    await visitor.page.setExtraHTTPHeaders({
      'X-Backstep-Proxy': SECRET,
      'X-Backstep-Actor': actor,
      'X-Backstep-Groups': groups,
    });
    return visitor;
  }

  stage.trial.it('needs no sign-in, and acts in the name of the person', async () => {
    const visitor = await come('alice@a.example', 'staff, ops');
    const { page } = visitor;
    await visitor.visit('/flows/proxy-asks');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    // The page of the task follows a stream.
    await page.getByText('May it go?').first().waitFor();
    await visitor.visit('/login');
    await page.getByText('There is nothing to enter here').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    expect(await visitor.violations()).toEqual([]);
    const headers = { 'x-backstep-proxy': SECRET, 'x-backstep-actor': 'vera' };
    const url = `${stage.backstep.url}/v1/tasks`;
    const tasks = (await (await fetch(url, { headers })).json()) as { items: { taskId: string }[] };
    const events = await fetch(`${url}/${tasks.items[0]?.taskId}/events`, { headers });
    expect(await events.json()).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ actor: 'alice@a.example' })]),
    });
    stage.expectPeace();
  });

  stage.trial.it('shows nothing to somebody without a binding', async () => {
    const visitor = await come('mallory', 'staff');
    await visitor.visit('/flows');
    await visitor.page.getByText('nothing gives mallory a role here').first().waitFor();
    expect(await visitor.page.getByText('proxy-asks').count()).toBe(0);
  });
});
