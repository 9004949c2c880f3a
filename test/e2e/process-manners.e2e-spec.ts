import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { Api } from '../load/index.js';
import { freePort } from '../servers/free-ports.js';
import { waitUntil } from '../servers/wait-until.js';
import {
  type AppName,
  type AppProcess,
  entryOf,
  planStandalone,
  REPOSITORY,
} from '../stack/index.js';

const TLS = path.join(REPOSITORY, 'test/fixtures/tls');

/** Ends a process that does not hear the signal yet. */
const STOPPED_AS_IT_LISTENS = `
  import fs from 'node:fs';
  const { writeSync } = fs;
  fs.writeSync = (fd, text, ...rest) => {
    if (String(text).includes('"event":"listens"')) process.kill(process.pid, 'SIGTERM');
    return writeSync(fd, text, ...rest);
  };
`;

const ASKS_TO_STOP_AND_NEVER_LOADS = `
  const look = setInterval(() => {
    if (process.listenerCount('SIGTERM') === 0) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, 10);
  await new Promise((resolve) => setTimeout(resolve, 1e8));
`;

/** Runs a process of Backstep to its end: its exit code, and its errors. */
async function startedIn(folder: string, app: AppName, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [entryOf(app)], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, said };
}

describe('a process of Backstep', () => {
  let folder: string;
  let backstep: AppProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-manners-'));
  });

  afterEach(async () => {
    await backstep?.kill();
    backstep = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it('lets other users read nothing but the targets of Prometheus', async () => {
    backstep = await planStandalone({ folder });
    const before = process.umask(0o022);
    await backstep.start().finally(() => process.umask(before));
    const parameters = { cpu: 1, memory: 1, storage: 1 };
    const task = await new Api(backstep.url).run('create-db-cluster', parameters);
    expect(task.status).toBe('succeeded');
    const open = modesUnder(path.join(folder, 'data')).filter(({ mode }) => (mode & 0o077) !== 0);
    expect(open.map(({ name, mode }) => `${name} ${mode.toString(8)}`)).toEqual([
      'targets 755',
      'targets/backstep.json 644',
    ]);
  }, 240_000);

  it('speaks HTTPS with a certificate, to a command line that believes it', async () => {
    const http = `127.0.0.1:${await freePort()}`;
    const [cert, key] = ['first.cert.pem', 'first.key.pem'].map((name) => path.join(TLS, name));
    const tls = { BACKSTEP_TLS_CERT: cert!, BACKSTEP_TLS_KEY: key! };
    const start = ['start', 'standalone', '--http', http, '--log', 'warn'];
    const program = new CliChild(start, { cwd: folder, env: tls });
    const list = (url: string, env = {}) =>
      new CliChild(['flow', 'list', '--url', url], { cwd: folder, env }).end;
    const believing = { NODE_EXTRA_CA_CERTS: cert };
    try {
      await program.untilWritten(`https://${http}`);
      expect(await list(`https://${http}`, believing)).toMatchObject({ code: 0 });
      expect(await list(`https://${http}`)).toMatchObject({ code: 5 });
      expect(await list(`http://${http}`)).toMatchObject({ code: 5 });
    } finally {
      program.kill('SIGTERM');
      await program.end;
    }
  }, 240_000);

  it('logs its address, and nothing but JSON from its start to its end', async () => {
    const http = `127.0.0.1:${await freePort()}`;
    const start = ['start', 'standalone', '--http', http, '--log', 'debug'];
    const program = new CliChild(start, { cwd: folder });
    await program.untilWritten(`listens on http://${http} `);
    program.kill('SIGTERM');
    const { stderr } = await program.end;
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'listens', url: `http://${http}` }),
    );
  }, 240_000);

  it('leaves its files whole at its end, with nothing in the logs beside them', async () => {
    const start = ['start', 'standalone', '--http', '127.0.0.1:0', '--lab', 'on'];
    const program = new CliChild(start, { cwd: folder });
    await program.untilWritten('listens on ');
    const data = path.join(folder, '.backstep');
    const logs = (): readonly string[] =>
      readdirSync(data).filter((name) => {
        return name.endsWith('-wal') && statSync(path.join(data, name)).size > 0;
      });
    expect(logs()).toContain('lab.db-wal');
    program.kill('SIGTERM');
    await program.end;
    expect(logs()).toEqual([]);
  }, 240_000);

  it.each(['oss', 'monitor'] as const)(
    '%s does not listen beyond loopback unasked',
    async (app) => {
      const { code, said } = await startedIn(folder, app, { BACKSTEP_HTTP: '0.0.0.0:0' });
      expect(code).toBe(2);
      expect(said).toContain('BACKSTEP_AUTH=off');
    },
    240_000,
  );

  it.each([
    ['BACKSTEP_AUDIT_KEY_FILE', {}],
    ['BACKSTEP_RESOURCE_HOSTS', {}],
    ['BACKSTEP_SECRETS', { BACKSTEP_SECRETS: 'mysql=file:db/*' }],
  ])(
    'ends as with a wrong setting where %s needs a file that is not there',
    async (setting, env) => {
      const { code, said } = await startedIn(folder, 'standalone', {
        BACKSTEP_HTTP: '127.0.0.1:0',
        [setting]: 'absent',
        ...env,
      });
      expect(said).toContain(`1 setting is wrong:\n  ${setting}: `);
      expect(code).toBe(2);
    },
    240_000,
  );

  it.each(['192.0.2.1:7070', 'no.such.invalid:7070'])(
    'says which setting is to be another one where nothing can listen on %s',
    async (http) => {
      const env = { BACKSTEP_AUTH: 'keys', BACKSTEP_HTTP: http };
      const { code, said } = await startedIn(folder, 'standalone', env);
      expect(said).toContain(`could not start: nothing can listen on ${http} (`);
      expect(said).toContain('Set BACKSTEP_HTTP');
      expect(code).toBe(1);
    },
    240_000,
  );

  it('drains from the moment that it says where it listens', async () => {
    const { code } = await startedIn(folder, 'standalone', {
      BACKSTEP_HTTP: '127.0.0.1:0',
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(STOPPED_AS_IT_LISTENS)}`,
    });
    expect(code).toBe(0);
  }, 240_000);

  it.each(['oss', 'mysql', 'standalone'] as const)(
    '%s sends no password to another machine in clear text unasked',
    async (app) => {
      const { code, said } = await startedIn(folder, app, {
        BACKSTEP_HTTP: '127.0.0.1:0',
        BACKSTEP_STORE: 'mongodb://me:hidden-pw@db.invalid/backstep?tls=true',
        BACKSTEP_TRANSPORT: 'amqp://me:hidden-pw@broker.invalid',
      });
      expect(code).toBe(2);
      expect(said.trim().split('\n')).toEqual([
        'error: 1 setting is wrong:',
        expect.stringMatching(/^ {2}BACKSTEP_TRANSPORT: would send .* BACKSTEP_INSECURE=on where /),
      ]);
      expect(said).not.toContain('hidden-pw');
    },
    240_000,
  );

  it.each(['oss', 'resource', 'mysql', 'monitor', 'http', 'lab'] as const)(
    '%s refuses to start alone, also where somebody wrote so',
    async (app) => {
      for (const written of [
        {},
        { BACKSTEP_STORE: 'sqlite:a.db', BACKSTEP_TRANSPORT: 'memory:' },
      ]) {
        const { code, said } = await startedIn(folder, app, {
          BACKSTEP_HTTP: '127.0.0.1:0',
          ...written,
        });
        expect(code).toBe(2);
        expect(said).toContain(`backstep ${app} could not start: `);
        expect(said).toContain('Set BACKSTEP_STORE to mongodb://');
        expect(readdirSync(folder)).toEqual([]);
      }
    },
    240_000,
  );

  it('says at each start that everybody may do everything, where somebody wrote so', async () => {
    const http = `0.0.0.0:${await freePort()}`;
    const program = launch(folder, { BACKSTEP_HTTP: http, BACKSTEP_AUTH: 'off' });
    expect(await readinessAt(http)).toMatchObject({
      status: 'ready',
      notes: expect.arrayContaining([expect.stringContaining('BACKSTEP_AUTH is off')]),
    });
    program.kill('SIGTERM');
    expect(await text(program.stderr!)).toContain('"event":"unsafe_setting"');
  }, 240_000);

  it.each([
    ['dev', '--no-watch'],
    ['start', 'standalone'],
  ])(
    '%s ends at once when it is told to stop while it starts',
    async (...command) => {
      const file = path.join(folder, 'slow.mjs');
      writeFileSync(file, ASKS_TO_STOP_AND_NEVER_LOADS);
      const child = spawn(process.execPath, [entryOf('cli'), ...command, '--executors', file], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect({ said, code }).toEqual({ said: '', code: 130 });
    },
    240_000,
  );

  it('ends when npx, which had started it, is gone', async () => {
    const http = `127.0.0.1:${await freePort()}`;
    const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' };
    const shell = launch(folder, { BACKSTEP_HTTP: http, ...npx });
    await readinessAt(http);
    shell.kill('SIGKILL');
    // Its output ends with the last process that has it.
    await text(shell.stderr!);
    await expect(fetch(`http://${http}/livez`)).rejects.toThrow();
  }, 240_000);
});

/** Starts Backstep as the child of a shell that passes signals on. */
function launch(folder: string, env: Readonly<Record<string, string>>): ChildProcess {
  const script = `trap 'kill -TERM "$!"' TERM; "$0" "$1" & wait "$!"; wait "$!"`;
  return spawn('sh', ['-c', script, process.execPath, entryOf('standalone')], {
    cwd: folder,
    env: { PATH: process.env['PATH'], BACKSTEP_LOG: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function readinessAt(address: string): Promise<unknown> {
  const url = `http://${address.replace('0.0.0.0', '127.0.0.1')}/readyz`;
  let body: unknown;
  const ask = async (): Promise<void> => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${answer.status}`);
    body = await answer.json();
  };
  await waitUntil(ask, { what: 'it is not ready', deadlineMs: 60_000 });
  return body;
}

interface Mode {
  readonly name: string;
  readonly mode: number;
}

function modesUnder(folder: string): readonly Mode[] {
  const names = ['.', ...(readdirSync(folder, { recursive: true }) as string[])].toSorted();
  return names.map((name) => ({ name, mode: statSync(path.join(folder, name)).mode & 0o777 }));
}

describe('the folder of the data', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-manners-'));
    writeFileSync(path.join(folder, 'taken'), '');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['BACKSTEP_DATA', 'taken'],
    ['BACKSTEP_DATA', 'taken/below'],
    ['BACKSTEP_STORE', 'sqlite:taken/backstep.db'],
  ])(
    'is a wrong setting where %s=%s leads into a file',
    async (setting, value) => {
      const env = { BACKSTEP_HTTP: '127.0.0.1:0', [setting]: value };
      const { code, said } = await startedIn(folder, 'standalone', env);
      expect(said).toContain(
        `error: 1 setting is wrong:\n  ${setting}: ${path.join(folder, 'taken')}`,
      );
      expect(said).toContain(' is not a folder\n');
      expect(code).toBe(2);
    },
    240_000,
  );
});
