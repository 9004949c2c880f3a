import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Exchange, type Sent } from '../hostile/exchange.js';
import { describeWith } from '../servers/describe-with.js';
import { type AppProcess, INDEPENDENT, REPOSITORY, SECRET_KEY, Stack } from '../stack/index.js';
import { COMPOSE_PROCESSES } from '../stack/compose-file.js';
import { planStandalone } from '../stack/standalone.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(480_000);

const FLOW = {
  steps: [{ name: 'a', normal: { module: 'lab', command: 'succeed' }, rollback: null }],
};
const ASKED: readonly Sent[] = [
  { path: '/v1/tasks' },
  { path: '/v1/flows/pwn', method: 'PUT', body: FLOW },
  { path: '/v1/events' },
  { path: '/console/' },
  { path: '/docs' },
  { path: '/openapi.json' },
  { path: '/metrics' },
  { path: '/readyz' },
  { path: '/modules/resource/hosts' },
  { path: '/modules/monitor/targets' },
];

/** The requests of a page under a name that its owner has pointed to this machine. */
async function rebound({ url }: AppProcess): Promise<void> {
  const exchange = new Exchange(url);
  const host = `evil.example:${new URL(url).port}`;
  const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  for (const sent of ASKED) {
    const answer = await exchange.send({ ...sent, headers });
    expect([sent.path, answer.status]).toEqual([sent.path, 421]);
    const visit = { host, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const page = await exchange.send({ ...sent, headers: visit });
    expect([sent.path, page.status]).toEqual([sent.path, 421]);
  }
}

/** The requests of those who may ask: probes by the address of a pod, and Prometheus by a name. */
async function asked({ url }: AppProcess, names: readonly string[]): Promise<void> {
  const exchange = new Exchange(url);
  for (const name of ['localhost', '127.0.0.1', '172.18.0.5', '[fd00::5]', ...names]) {
    const headers = { host: `${name}:7070` };
    for (const where of ['/livez', '/metrics']) {
      const answer = await exchange.send({ path: where, headers });
      expect([name, where, answer.status]).toEqual([name, where, 200]);
    }
  }
}

/** The variables of a service that say nothing of where its servers are. */
function environmentOf(name: string): Record<string, string> {
  const [, { environment = {} }] = COMPOSE_PROCESSES.find(([service]) => service === name)!;
  const isOwn = /^BACKSTEP_(?!HTTP$|STORE$|TRANSPORT$|MYSQL_URL$|SECRET_KEY$)/;
  return Object.fromEntries(Object.entries(environment).filter(([key]) => isOwn.test(key)));
}

describeWith('the processes of docker-compose.yml', { ...INDEPENDENT, own: true }, () => {
  const trial = new Trial('shipped-settings');
  let stack: Stack;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      stack = trial.use(
        await Stack.start({
          folder: trial.folder,
          independent: true,
          executors: { http: 1 },
          listenAt: '0.0.0.0',
          settings: { lab: 'off', secretKey: SECRET_KEY },
          environmentOf,
        }),
      );
    }),
  );
  afterAll(() => trial.close());

  trial.it('are not reached by a web page that has a name pointed at them', async () => {
    expect(stack.processes).toHaveLength(COMPOSE_PROCESSES.length);
    for (const process of stack.processes) await rebound(process);
  });

  trial.it('are asked by loopback, by addresses and by the names of their services', async () => {
    for (const process of stack.processes) await asked(process, [process.name]);
  });
});

describe('the process of the image', () => {
  const trial = new Trial('shipped-image');
  let alone: AppProcess;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const lines = readFileSync(path.join(REPOSITORY, 'Dockerfile'), 'utf8');
      const written = [...lines.matchAll(/\b(BACKSTEP_\w+)=(\S+)/g)].map(([, key, value]) => [
        key,
        value,
      ]);
      const { BACKSTEP_HTTP, ...environment } = Object.fromEntries(written) as Record<
        string,
        string
      >;
      const listenAt = BACKSTEP_HTTP!.split(':')[0];
      const settings = { auth: 'off', data: path.join(folder, 'data'), lab: 'off' };
      alone = await planStandalone({ folder, environment, listenAt, settings });
      trial.use({ stop: () => alone.kill() });
      await alone.start();
    }),
  );
  afterAll(() => trial.close());

  trial.it('is not reached by a web page where nobody is asked who they are', () => rebound(alone));
  trial.it('is asked by loopback and by addresses', () => asked(alone, []));
});
