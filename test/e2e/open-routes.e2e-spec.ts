import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { routesFile } from '../access/routes.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type AppProcess, DEPLOYMENTS, REPOSITORY, startDeployment } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(240_000);

const ENTRY = path.join(REPOSITORY, 'dist/test/access/program.js');

/** All that anybody may ask a process for. */
const OPEN = /^(GET|HEAD) (\/livez|\/readyz)$/;
/** And, of a gateway, what leads to the console or signs in to it, and the console without data. */
const CONSOLE = /^(GET|HEAD) \/(|console(\/.*)?|v1\/session\/oidc(\/callback)?)$/;

/** Routes that a process of each app has, so that a list which is cut short is found. */
const HAVING: Readonly<Record<string, string>> = {
  standalone: 'GET /modules/lab/effects',
  oss: 'POST /v1/tasks',
  resource: 'GET /modules/resource/hosts',
  mysql: 'GET /metrics',
  monitor: 'GET /modules/monitor/events',
  lab: 'GET /modules/lab/completions',
};

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`a ${kind} Backstep on every address`, { servers, own: true }, () => {
    const trial = new Trial(`open-routes-${kind}`);
    let processes: readonly AppProcess[] = [];

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const settings = { auth: 'keys', ratePerAddress: 'none', lab: 'on' };
        const backstep = await startDeployment(kind, { folder, settings, entry: ENTRY });
        processes = trial.use(backstep).processes;
      }),
    );
    afterAll(() => trial.close());

    async function routesOf({ app }: AppProcess): Promise<readonly string[]> {
      const text = await readFile(path.join(trial.folder, routesFile(app)), 'utf8');
      return JSON.parse(text) as readonly string[];
    }

    /** Returns the answer of a route to a caller without a key. */
    async function askWithout({ url }: AppProcess, route: string): Promise<string> {
      const [method = '', address = ''] = route.split(' ');
      const takesBody = ['PATCH', 'POST', 'PUT'].includes(method);
      const headers = { 'content-type': 'application/json' };
      const path = address.replaceAll(/\{\w+\}|\*/g, 'x');
      const ask = { method, ...(takesBody && { headers, body: '{}' }) };
      const { body, status } = await fetch(`${url}${path}`, ask);
      await body?.cancel();
      return `${route}: ${status}`;
    }

    trial.it('opens nothing without a key but what says how it is, and the console', async () => {
      for (const process of processes) {
        const { app } = process;
        const routes = await routesOf(process);
        expect(routes).toContain(HAVING[app]);
        const hasConsole = app === 'oss' || app === 'standalone';
        const isOpen = (route: string): boolean =>
          OPEN.test(route) || (hasConsole && CONSOLE.test(route));
        const closed = routes.filter((route) => !isOpen(route));
        const answers: string[] = [];
        for (const route of closed) answers.push(await askWithout(process, route));
        const others = answers.filter((answer) => !answer.endsWith(': 401'));
        expect([app, others]).toEqual([app, []]);
      }
    });

    trial.it('says nothing of tasks or flows in what it opens', async () => {
      for (const process of processes) {
        const api = new Api(process.url);
        const live = await api.get('/livez');
        expect(Object.keys(live as object)).toEqual(['status']);
      }
      const [{ url } = { url: '' }] = processes;
      const page = await new Api(url).ask<string>({ path: '/console/tasks' });
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/html'),
      ]);
      expect(page.body).not.toContain('lab-');
      const scripts = [...page.body.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, path = ''] of scripts)
        expect((await new Api(url).ask({ path })).status).toBe(200);
    });
  });
});
