import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { untilTask } from '../../ledger/index.js';
import { Api, PRACTICE_FLOWS } from '../../load/index.js';
import { freePort } from '../../servers/free-ports.js';
import { waitUntil } from '../../servers/wait-until.js';
import { REPOSITORY } from '../../stack/index.js';
import type { Reproduction, Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const OTHERS = 0o077;
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\rforged';

function* everything(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    yield file;
    if (entry.isDirectory()) yield* everything(file);
  }
}

const modes: Reproduction = {
  rule: 'nobody else on the machine can read what is stored',
  sends: 'a look at the folder of data, after an instance was made and is watched',
  play: async (stand) => {
    const task = await stand.api.run('create-db-cluster', { cpu: 1, memory: 1, storage: 1 });
    assert.equal(task.status, 'succeeded', task.taskMessage ?? '');
    const open = [stand.data, ...everything(stand.data)].filter((file) => {
      const isShared = file.startsWith(path.join(stand.data, 'targets'));
      return !isShared && (statSync(file).mode & OTHERS) !== 0;
    });
    const told = open.map((file) => path.relative(stand.folder, file));
    assert.deepEqual(told, []);
  },
};

const quoting: Reproduction = {
  rule: 'a flow file that leads elsewhere does not tell what is there',
  sends: 'a symbolic link in the folder of flows to a file with a secret',
  play: async (stand) => {
    const secret = path.join(stand.folder, 'secret.txt');
    writeFileSync(secret, 'hunter2secret and more');
    symlinkSync(secret, path.join(stand.flows, 'a-link.json'));
    await waitUntil(
      async () => assert.match(stand.process.log, /a-link\.json/, 'nobody looked at it'),
      { what: 'the log', deadlineMs: 60_000 },
    );
    const page = JSON.stringify(await stand.api.get('/v1/flows'));
    assert.ok(!`${stand.process.log}${page}`.includes('hunter2secret'), 'it is quoted');
  },
};

/** Starts a process whose log goes to a terminal; returns its address and what the terminal got. */
async function onTerminal(stand: Stand) {
  const folder = path.join(stand.folder, 'terminal');
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const entry = path.join(REPOSITORY, 'dist/apps/standalone/src/main.js');
  const { HOME = '/', PATH = '' } = process.env;
  const command = `exec '${process.execPath}' '${entry}'`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: folder,
    env: {
      HOME,
      PATH,
      BACKSTEP_HTTP: `127.0.0.1:${port}`,
      BACKSTEP_STORE: `sqlite:${path.join(folder, 'a.db')}`,
      BACKSTEP_FLOWS: stand.flows,
      BACKSTEP_LAB: 'on',
      BACKSTEP_LOG: 'debug',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (shown += String(chunk)));
  const stop = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return { api: new Api(`http://127.0.0.1:${port}`), shown: () => shown, stop };
}

const terminal: Reproduction = {
  rule: 'a reason cannot clear the screen of who reads the log, nor forge a line of it',
  sends: 'a rollback whose reason holds escapes of terminals, on a process with a terminal',
  limitMs: 180_000,
  play: async (stand) => {
    if (spawnSync('script', ['--version']).status !== 0) return;
    const { api, shown, stop } = await onTerminal(stand);
    try {
      await waitUntil(() => api.get('/readyz'), { what: 'the process', deadlineMs: 60_000 });
      const taskId = await api.create('lab-long');
      await api.act(taskId, 'rollback', { reason: ESCAPES });
      await untilTask(api, taskId, ({ status }) => status !== 'running');
      await waitUntil(async () => assert.ok(shown().includes(taskId)), {
        what: 'the log',
        deadlineMs: 60_000,
      });
      assert.ok(!shown().includes('\u001b[2J'), 'the screen is cleared');
      assert.ok(!shown().includes('\u001b]0;'), 'the title is set');
      assert.doesNotMatch(shown(), /\r(?!\n)/, 'a line is written over');
    } finally {
      await stop();
    }
  },
};

/** Files that Backstep leaves on the machine, and its log. */
export const filesAndLog: Subject = {
  name: 'files and log',
  flows: { 'lab-long': PRACTICE_FLOWS['lab-long'] },
  reproductions: [modes, quoting, terminal],
};
