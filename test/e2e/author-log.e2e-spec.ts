import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { Api } from '../load/index.js';
import { freePort } from '../servers/free-ports.js';
import { waitUntil } from '../servers/wait-until.js';
import { REPOSITORY } from '../stack/index.js';

jest.setTimeout(300_000);

const ODD = path.join(REPOSITORY, 'dist/test/author/odd-commands.js');
const FLOW = {
  odd: {
    input: {
      type: 'object',
      required: ['how'],
      properties: { how: { type: 'string' }, password: { type: 'string', secret: true } },
    },
    steps: [
      { name: 'run', normal: { module: 'odd', command: 'run', onCrash: 'fail' }, rollback: null },
    ],
  },
};
const PASSWORD = 'a-password-of-some-length';

interface Line {
  readonly event?: string;
  readonly level: string;
  readonly taskId?: string;
  readonly logger?: string;
  readonly stack?: string;
  readonly msg?: string;
  readonly details?: object;
  readonly error?: { readonly stack?: string };
}

let folder: string;
let program: CliChild;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-author-'));
  mkdirSync(path.join(folder, 'flow-configs'));
  writeFileSync(path.join(folder, 'flow-configs/odd.json'), JSON.stringify(FLOW));
  url = `http://127.0.0.1:${await freePort()}`;
});
afterEach(async () => {
  program.kill('SIGTERM');
  await program.end;
  rmSync(folder, { recursive: true, force: true });
});

function launch(...argv: readonly string[]): void {
  const env = {
    BACKSTEP_HTTP: url.replace('http://', ''),
    BACKSTEP_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    NODE_OPTIONS: '--enable-source-maps',
  };
  program = new CliChild([...argv, '--executors', ODD], { cwd: folder, env });
}

async function untilReady(): Promise<void> {
  const ask = async (): Promise<void> => expect((await fetch(`${url}/readyz`)).ok).toBe(true);
  await waitUntil(ask, { what: 'it is not ready', deadlineMs: 120_000 });
}

/** The lines of the log so far, without words for people. */
function lines(): readonly Line[] {
  const all = program.stderr.split('\n').filter((line) => line.startsWith('{'));
  return all.map((line) => JSON.parse(line) as Line);
}

describe('an author sees in the log', () => {
  beforeEach(async () => {
    launch('start', 'standalone');
    await untilReady();
  });

  it('where a command threw, with the causes, and so does an operator', async () => {
    const api = new Api(url);
    for (const [how, stack] of [
      ['surprise', /^TypeError: .*'host'\)\n +at .*surprise \(.*odd-commands\.ts:\d+/],
      ['cause', /^TerminalError: no host\n +at .*\nCaused by: RangeError: the rack is full\n +at /],
    ] as const) {
      const { taskId } = await api.run('odd', { how });
      const failed = lines().find((line) => line.event === 'failed' && line.taskId === taskId);
      expect(failed).toMatchObject({ level: 'info', stack: expect.stringMatching(stack) });
      const { items } = await api.get<{ items: readonly Line[] }>(`/v1/tasks/${taskId}/events`);
      expect(items.map((event) => event.stack)).toContain(failed?.stack);
    }
  });

  it('what it logs, by Nest and by its context, with the task, and no secret of it', async () => {
    const { taskId } = await new Api(url).run('odd', { how: 'quote', password: PASSWORD });
    const own = lines().filter((line) => line.taskId === taskId);
    expect(own).toContainEqual(
      expect.objectContaining({
        event: 'command_log',
        level: 'warn',
        step: 'run',
        run: 'run',
        attempt: 1,
        logger: 'OddExecutor',
        msg: 'begins with ***',
      }),
    );
    const details = { how: 'quote', password: '***' };
    const begun = { event: 'command_log', level: 'info', msg: 'has begun', details };
    expect(own).toContainEqual(expect.objectContaining(begun));
    const failed = own.find((line) => line.event === 'failed');
    expect(failed?.stack).toMatch(/^Error: refused "\*\*\*"\n/);
    expect(program.stderr).not.toContain(PASSWORD);
  });
});

it('dev starts again whenever a command ends it, and says where and in which task', async () => {
  launch('dev');
  const ends = [
    ['reject', 'rejected and left', 'unhandled_error'],
    ['throw', 'thrown in a timer', 'unhandled_error'],
    ['exit', 'process.exit(7)', 'process_exit'],
  ] as const;
  for (const [how, said, event] of ends) {
    await untilReady();
    const before = program.stderr.split('It has crashed').length;
    // It may be gone before it has answered.
    await new Api(url).create('odd', { how }).catch(() => undefined);
    const crashed = async (): Promise<void> => {
      expect(program.stderr.split('It has crashed')).toHaveLength(before + 1);
    };
    await waitUntil(crashed, { what: 'it goes on', deadlineMs: 60_000 });
    const last = lines().findLast((line) => line.event === event);
    expect(last?.taskId).toMatch(/^[\da-f-]{36}$/);
    expect(`${last?.msg} ${last?.stack} ${last?.error?.stack}`).toContain(said);
    expect(last?.stack ?? last?.error?.stack).toContain('odd-commands.ts');
  }
  await untilReady();
});
