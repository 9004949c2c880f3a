import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PRACTICE_FLOWS } from '../../load/index.js';
import { waitUntil } from '../../servers/wait-until.js';
import { planStandalone, REPOSITORY } from '../../stack/index.js';
import type { Reproduction, Subject } from '../reproduction.js';
import { Stand } from '../stand.js';

const PASSWORD = 'hookpassword';
const TOKEN = 'tokenofthepath';
const SIGNING = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const CLI = path.join(REPOSITORY, 'bin/backstep.mjs');
const CLI_MS = 30_000;

/** Runs the command line; returns all that it says, and its exit code. */
function backstep(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { HOME = '/', PATH = '' } = process.env;
  const { status, stderr, stdout } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: path.join(REPOSITORY, 'dist'),
    env: { HOME, PATH, ...env },
    encoding: 'utf8',
    timeout: CLI_MS,
  });
  return { status, said: `${stdout}${stderr}` };
}

const inTheOpen: Reproduction = {
  rule: 'the password in the address of the webhook is told to the receiver alone',
  sends: 'a webhook http://user:password@..., and a rollback that fails',
  limitMs: 180_000,
  play: async (stand) => {
    const { arrivals, server, url } = await openReceiver();
    const folder = path.join(stand.folder, 'with-webhook');
    const settings = { alertWebhook: url, log: 'debug', alertSecret: SIGNING };
    const flows = { 'lab-stuck': PRACTICE_FLOWS['lab-stuck'] };
    const own = await Stand.open({ folder, patience: 1, subject: { settings, flows } });
    try {
      const { status, taskId } = await own.api.run('lab-stuck');
      assert.equal(status, 'rollback_failed');
      await waitUntil(
        async () => {
          const kinds = (await own.api.events(taskId)).map(({ kind }) => kind);
          const tried = kinds.some((kind) => /^(alert|failed|will_retry|retry)/.test(kind));
          assert.ok(arrivals.length > 0 || tried, 'nobody was told');
        },
        { what: 'the alert', deadlineMs: 60_000 },
      );
      await waitUntil(async () => assert.ok(arrivals.length > 0, 'no alert arrived'), {
        what: 'the alert',
        deadlineMs: 60_000,
      }).catch(() => {});
      const shown = [
        own.process.log,
        JSON.stringify(await own.api.events(taskId)),
        JSON.stringify(await own.api.task(taskId)),
        (await own.send({ path: '/metrics' })).text,
        (await own.send({ path: '/readyz' })).text,
      ].join('\n');
      assert.ok(!shown.includes(PASSWORD), 'the password is shown');
      assert.ok(!shown.includes(TOKEN), 'the path is shown');
      assert.ok(arrivals.length > 0, 'no alert arrived');
      const wanted = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;
      assert.equal(arrivals[0], wanted);
    } finally {
      await own.stop();
      server.closeAllConnections();
      server.close();
    }
  },
};

interface Receiver {
  readonly server: Server;
  readonly url: string;
  /** The `Authorization` of each request that came. */
  readonly arrivals: readonly (string | undefined)[];
}

async function openReceiver(): Promise<Receiver> {
  const arrivals: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    arrivals.push(request.headers.authorization);
    request.resume();
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { arrivals, server, url: `http://user:${PASSWORD}@127.0.0.1:${port}/services/${TOKEN}` };
}

/** Addresses, and what of them must never be shown. */
const ADDRESSES: readonly (readonly [variable: string, address: string, secret: string])[] = [
  ['BACKSTEP_ALERT_WEBHOOK', `https://hooks.slack.com/services/T0/B0/${TOKEN}`, TOKEN],
  ['BACKSTEP_ALERT_WEBHOOK', `https://example.org/hook?access=${TOKEN}`, TOKEN],
  ['BACKSTEP_ALERT_WEBHOOK', `https://${TOKEN}@example.org/hook`, TOKEN],
  ['BACKSTEP_STORE', `mongodb://user:${PASSWORD}@one,two/db`, PASSWORD],
  ['BACKSTEP_STORE', `mongodb://one/db?authMechanismProperties=AWS_SESSION_TOKEN:${TOKEN}`, TOKEN],
  ['BACKSTEP_TRANSPORT', `amqp://${TOKEN}@broker/vhost`, TOKEN],
  ['BACKSTEP_MYSQL_URL', `mysql://root:${PASSWORD}@server/`, PASSWORD],
];

const masked = ADDRESSES.map(([variable, address, secret]): Reproduction => ({
  rule: `settings are shown without what is secret: ${address}`,
  sends: `backstep config print with ${variable}`,
  play: async () => {
    const { said, status } = backstep(['config', 'print'], { [variable]: address });
    assert.equal(status, 0, said.slice(0, 300));
    assert.ok(!said.includes(secret), 'it is shown');
  },
}));

const weak: Reproduction = {
  rule: 'a secret that can be guessed signs nothing',
  sends: 'a start with BACKSTEP_ALERT_SECRET=x',
  play: async (stand) => {
    const settings = { alertWebhook: 'https://example.org/', alertSecret: 'x' };
    const folder = path.join(stand.folder, 'weak');
    const process = await planStandalone({ folder, settings });
    const started = await process.start().then(
      () => true,
      () => false,
    );
    await process.kill();
    assert.equal(started, false, 'it started');
    assert.match(process.log, /BACKSTEP_ALERT_SECRET/);
  },
};

const beyond: Reproduction = {
  rule: 'a start beyond this machine has to be asked for in writing',
  sends: 'backstep start standalone --http 0.0.0.0:0 without BACKSTEP_AUTH',
  limitMs: 40_000,
  play: async (stand) => {
    const store = `sqlite:${path.join(stand.folder, 'beyond', 'a.db')}`;
    const args = ['start', 'standalone', '--http', '0.0.0.0:0', '--store', store];
    const { HOME = '/', PATH = '' } = process.env;
    const ended = spawnSync(process.execPath, [CLI, ...args], {
      cwd: REPOSITORY,
      env: { HOME, PATH },
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.equal(ended.error, undefined, 'it runs');
    assert.equal(ended.status, 2);
    assert.match(ended.stderr, /BACKSTEP_AUTH/);
  },
};

/** Secrets that operators write into settings, and the places where they could leak. */
export const secrets: Subject = {
  name: 'secrets and settings',
  reproductions: [inTheOpen, ...masked, weak, beyond],
};
