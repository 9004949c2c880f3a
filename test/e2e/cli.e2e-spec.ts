import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { within } from '#testing';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { Api } from '../load/index.js';
import { freePort } from '../servers/free-ports.js';
import { waitUntil } from '../servers/wait-until.js';

const FLOWS = path.join(import.meta.dirname, '..', '..', 'flow-configs');
/** Sleeps until it is stopped. */
const SLEEPER = {
  sleeper: [
    {
      normal: { module: 'lab', command: 'sleep', parameters: { ms: 3_600_000 }, timeout: '2h' },
      rollback: { module: 'lab', command: 'succeed' },
    },
  ],
};
const LONG_MS = 120_000;
const WAITS = 'WAITS_FOR_APPROVAL\n';

jest.setTimeout(2 * LONG_MS);

describe('the command line against a running Backstep', () => {
  let folder: string;
  let flows: string;
  let url: string;
  let server: CliChild;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-cli-'));
    flows = path.join(folder, 'flow-configs');
    await cp(FLOWS, flows, { recursive: true });
    await writeFile(path.join(flows, 'sleeper.json'), JSON.stringify(SLEEPER));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const flags = ['--http', `127.0.0.1:${port}`, '--flows', flows, '--lab', 'on'];
    server = new CliChild(['start', 'standalone', ...flags], { cwd: folder });
    await within('the start', server.untilWritten(`listens on ${url}`), LONG_MS);
  });

  afterAll(async () => {
    server.kill('SIGTERM');
    const { code } = await within('the end of the server', server.end, LONG_MS);
    await rm(folder, { recursive: true });
    expect(code).toBe(0);
  });

  const start = (...argv: string[]): CliChild =>
    new CliChild(argv, { cwd: folder, env: { BACKSTEP_URL: url } });
  const run = (...argv: string[]): Promise<CliEnd> =>
    within(`backstep ${argv.join(' ')}`, start(...argv).end, LONG_MS);

  async function newTask(...argv: string[]): Promise<string> {
    const { stdout } = await run('task', 'start', ...argv, '-o', 'name');
    return stdout.trim();
  }

  it('ends with 0 when the task it watched succeeded, and has told every change', async () => {
    const size = ['cpu=2', 'memory=4', 'storage=100'];
    const { code, stdout } = await run('task', 'start', 'create-db-instance', ...size, '--watch');
    expect(code).toBe(0);
    expect(stdout).toMatch(/started +check_resource\n/);
    expect(stdout).toMatch(/\n✓ succeeded in .*s\n$/);
    const hosts = await run('resource', 'hosts', '-o', 'json');
    expect(JSON.parse(hosts.stdout)).toContainEqual(
      expect.objectContaining({ cpu: { total: 64, free: 62 } }),
    );
  });

  it('ends with 1 when the task was undone, and draws the way back', async () => {
    const { code, stdout } = await run('task', 'start', 'lab-fail-last', '--wait', '2m');
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ failed +last +lab\.fail .*this step always fails/);
    expect(stdout.match(/↩ undone/g)).toHaveLength(3);
    expect(stdout).toMatch(/\n↩ rolled back in .*: step last/);
  });

  it('ends with 2 for input that the flow does not take', async () => {
    const child = start('task', 'start', 'create-db-cluster', '-i', '-');
    child.input('{"cpu": "many"}');
    const { code, stderr } = await within('the end', child.end, LONG_MS);
    expect(code).toBe(2);
    expect(stderr).toContain('/parameters/cpu');
    expect(stderr).toContain('INVALID_PARAMETERS');
  });

  it('ends with 3 for what is not there', async () => {
    for (const argv of [
      ['task', 'get', 'none'],
      ['task', 'start', 'none'],
      ['flow', 'get', 'none'],
      ['flow', 'get', 'lab-succeed', '--flow-version', '99'],
    ]) {
      expect(await run(...argv)).toMatchObject({ code: 3, stdout: '' });
    }
  });

  it('says where a flow file is broken: in lists, and to whoever asks for its flow', async () => {
    const file = path.join(flows, 'm3.json');
    await writeFile(file, '{\n  "vm3": [{"normal": {"module": "lab"}}]\n}');
    const isListed = async (): Promise<void> => {
      const { stderr, stdout } = await run('flow', 'list', '-o', 'name');
      expect(stderr).toMatch(/^broken: flow vm3, m3\.json:2:\d+ MISSING_MEMBER /);
      expect(stdout).toContain('lab-succeed\n');
    };
    await waitUntil(isListed, { what: 'the broken file', deadlineMs: LONG_MS });
    for (const argv of [
      ['task', 'start', 'vm3'],
      ['flow', 'get', 'vm3'],
    ]) {
      const { code, stderr } = await run(...argv);
      expect(code).toBe(3);
      expect(stderr).toMatch(/It is broken in m3\.json:2:\d+: .*command/);
    }
    await rm(file);
  });

  it('ends with 4 where the task is not in a state for it, or has moved', async () => {
    const taskId = await newTask('lab-succeed', '--wait', '2m');
    const late = await run('task', 'rollback', taskId, '--reason', 'too late');
    expect(late).toMatchObject({ code: 4, stdout: '' });
    expect(late.stderr).toContain('(ILLEGAL_ACTION)');
    const stuck = await newTask('lab-rollback-fails', '--wait', '2m');
    const argv = ['task', 'retry', stuck, '--reason', 'again', '--if-match', '1'];
    const moved = await run(...argv);
    expect(moved).toMatchObject({ code: 4 });
    expect(moved.stderr).toContain('(REVISION_CHANGED)');
  });

  it('ends with 5 where nobody answers', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    expect(await run('task', 'list', '--url', nobody)).toMatchObject({ code: 5, stdout: '' });
  });

  it('ends with 6 when the time is over, and the task goes on until a person stops it', async () => {
    const { code, stderr } = await run('task', 'start', 'sleeper', '--wait', '4s');
    expect(code).toBe(6);
    const [, taskId = ''] = /The task goes on: npx backstep task watch (\S+)/.exec(stderr) ?? [];
    const watched = start('task', 'watch', taskId);
    await within('the drawing', watched.untilWritten('started'), LONG_MS);
    const stopped = await run('task', 'rollback', taskId, '--reason', 'enough', '-o', 'json');
    expect(stopped).toMatchObject({ code: 0 });
    const end = await within('the end', watched.end, LONG_MS);
    expect(end).toMatchObject({ code: 1 });
    expect(end.stdout).toMatch(/rollback requested +enough \(by \S+\)\n/);
    expect(end.stdout).toContain('cancelled: rollback was requested');
    expect(end.stdout).toContain('↩ rolled back in');
  });

  it('leaves a task alone when it is interrupted', async () => {
    const taskId = await newTask('sleeper');
    const watched = start('task', 'watch', taskId);
    await within('the drawing', watched.untilWritten('started'), LONG_MS);
    watched.kill('SIGINT');
    expect(await within('the end', watched.end, LONG_MS)).toMatchObject({ code: 130, stderr: '' });
    const ended = await run('task', 'terminate', taskId, '--reason', 'enough', '-o', 'json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'terminated' });
  });

  it('makes one task of a repeated request, and refuses a different one', async () => {
    const key = ['--idempotency-key', 'order 4711'];
    const first = await newTask('lab-succeed', 'a=1', ...key);
    expect(await newTask('lab-succeed', 'a=1', ...key)).toBe(first);
    expect(await run('task', 'start', 'lab-succeed', 'a=2', ...key)).toMatchObject({ code: 4 });
  });

  it('lets a person finish a way back that failed', async () => {
    const taskId = await newTask('lab-rollback-fails', '--label', 'case=skip', '--wait', '2m');
    const filters = ['--label', 'case=skip', '--status', 'rollback_failed'];
    const listed = await run('task', 'list', ...filters, '-o', 'name');
    expect(listed.stdout).toBe(`${taskId}\n`);
    const reason = ['--reason', 'undone by hand', '--watch'];
    const skipped = await run('task', 'skip', taskId, '--step', 'stuck', ...reason);
    expect(skipped).toMatchObject({ code: 1 });
    expect(skipped.stdout).toContain('↩ rolled back');
    const events = await run('task', 'events', taskId, '-o', 'jsonl');
    const kinds = events.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(expect.arrayContaining(['task_rollback_failed', 'skip_requested']));
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const child = start('task', 'events', await newTask('lab-succeed', '--wait', '2m'));
    child.closeOutput();
    expect(await within('the end', child.end, LONG_MS)).toMatchObject({ code: 0, stderr: '' });
  });

  it('lets every step of a flow fail in memory, expressions and all', async () => {
    const all = (await readdir(flows)).filter((file) => !file.includes('.test.'));
    const files = all
      .filter((file) => file !== 'sleeper.json')
      .map((file) => path.join(flows, file));
    const { code, stderr, stdout } = await run('flow', 'test', ...files);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('all as expected'),
    });
    expect(stdout).toMatch(/^undo init_instance +after +clean +- +clean$/m);
    // Its rollback is tried once.
    expect(await run('flow', 'test', path.join(flows, 'sleeper.json'))).toMatchObject({ code: 1 });
  });

  it('says why a task waits, and finds it by a search', async () => {
    const id = await newTask('lab-approve', '--label', 'team=questions');
    const asks = async (): Promise<void> => {
      expect((await run('task', 'why', id, '-o', 'name')).stdout).toBe(WAITS);
    };
    await waitUntil(asks, { what: 'the question', deadlineMs: LONG_MS });
    const found = await run(
      'task',
      'list',
      '--query',
      'flow:lab-* label.team:questions',
      '-o',
      'name',
    );
    expect(found).toMatchObject({ code: 0, stdout: `${id}\n` });
    const { stdout } = await run('task', 'count', '--query', 'label.team:questions', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ total: 1, counts: { running: 1 } });
    const wrong = await run('task', 'list', '--query', 'flow:lab-* colour:red');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('At character 12:') });
    // Only one step asks, so that nobody has to say which.
    expect(await run('task', 'approve', id, '--comment', 'yes')).toMatchObject({ code: 0 });
    const again = await run('task', 'approve', id, '--comment', 'yes');
    expect(again).toMatchObject({ code: 4, stderr: 'error: no step waits for an approval\n' });
  });

  it('says what to do where an address or a store is taken already', async () => {
    const store = `sqlite:${path.join(folder, 'other.db')}`;
    const address = new URL(url).host;
    const begin = ['start', 'standalone', '--flows', flows];
    const here = await run(...begin, '--http', address, '--store', store);
    expect(here).toMatchObject({ code: 1, stderr: expect.stringContaining('set BACKSTEP_HTTP') });
    expect(here.stderr).toContain(`could not start: ${address} is in use. Stop what listens there`);
    const same = await run(...begin, '--http', '127.0.0.1:0');
    expect(same).toMatchObject({ code: 1, stderr: expect.stringContaining('use another file') });
  });

  it('leaves no store behind where its address is taken', async () => {
    const place = await mkdtemp(path.join(tmpdir(), 'backstep-taken-'));
    const argv = ['start', 'standalone', '--flows', flows, '--http', new URL(url).host];
    const { end } = new CliChild(argv, { cwd: place });
    expect(await within('the end', end, LONG_MS)).toMatchObject({ code: 1 });
    expect(await readdir(place)).toEqual([]);
    await rm(place, { recursive: true });
  });

  it('finds nothing wrong with this machine, and a server on the port', async () => {
    const flags = ['--http', new URL(url).host, '--flows', flows];
    const { code, stdout } = await run('doctor', ...flags, '-o', 'json');
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    expect(findings.filter(({ state }) => state === 'broken')).toEqual([]);
    expect(code).toBe(0);
    const detailOf = (name: string) => findings.find(({ check }) => check === name)?.detail;
    expect(detailOf('port')).toContain('a Backstep listens');
    expect(detailOf('store')).toContain('in use by another process');
  });
});

describe('backstep demo', () => {
  let cwd: string;
  let child: CliChild;

  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), 'backstep-cli-'));
  });

  afterEach(async () => {
    child.kill('SIGKILL');
    await rm(cwd, { recursive: true });
  });

  it('shows one task that succeeds and one that is undone, and leaves nothing behind', async () => {
    const port = `${await freePort()}`;
    child = new CliChild(['demo', '--exit', '--port', port], { cwd });
    const { code, stderr, stdout } = await within('the demo', child.end, LONG_MS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(port) });
    expect(stderr).toContain(`http://127.0.0.1:${port}/console/tasks/`);
    expect(stderr).toMatch(/\nTry in another terminal[^]*backstep task list --url/);
    expect(stdout).toContain('✓ succeeded in');
    expect(stdout).toContain('↩ rolled back in');
    expect(stdout).toMatch(/\ninstances: (invoices|payments)?.*orders/);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('stays until Ctrl-C, on the next port that is free, and clears up', async () => {
    child = new CliChild(['demo'], { cwd });
    await within('the stay', child.untilWritten('Try in another terminal'), LONG_MS);
    const [, url = ''] = /Backstep {2}(http:\S+)/.exec(child.stderr) ?? [];
    const [, undone = ''] = /(\/console\/tasks\/\S+)\n/.exec(child.stderr) ?? [];
    const { status } = await new Api(url).task(undone.split('/').at(-1) ?? '');
    expect(status).toBe('rolled_back');
    expect((await fetch(url + undone)).headers.get('content-type')).toContain('text/html');
    const list = new CliChild(['task', 'list', '--url', url, '-o', 'name'], { cwd });
    const { stdout } = await within('the list', list.end, LONG_MS);
    expect(stdout.trim().split('\n').length).toBeGreaterThanOrEqual(3);
    child.kill('SIGINT');
    expect(await within('the end', child.end, LONG_MS)).toMatchObject({ code: 0 });
    expect(await readdir(cwd)).toEqual([]);
  });
});

/** Has a process interrupt itself while it loads the command line. */
const INTERRUPTS_ITSELF = `
  const { stdout } = process;
  const on = stdout.on.bind(stdout);
  stdout.on = (...heard) => (process.kill(process.pid, 'SIGINT'), on(...heard));
`;

it('ends with the documented exit code when it is interrupted before it has begun', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(INTERRUPTS_ITSELF)}`;
  const child = new CliChild(['--version'], {
    cwd: tmpdir(),
    env: { NODE_OPTIONS: `--import=${preload}` },
  });
  const end = await within('the end', child.end, LONG_MS);
  expect(end).toEqual({ code: 130, stdout: '', stderr: '' });
});

describe('backstep dev', () => {
  it('listens on the next free port, says so, and suggests what is there', async () => {
    const cwd = await mkdtemp(path.join(tmpdir(), 'backstep-dev-'));
    await mkdir(path.join(cwd, 'flow-configs'));
    await writeFile(path.join(cwd, 'flow-configs', 'sleeper.json'), JSON.stringify(SLEEPER));
    const taken = createServer();
    taken.listen(7070, '127.0.0.1');
    // Where something else has it already, it is taken all the same.
    await once(taken, 'listening').catch(() => undefined);
    const child = new CliChild(['dev'], { cwd });
    await within('the banner', child.untilWritten('flow list'), LONG_MS);
    const { stderr } = child;
    const [, port = ''] =
      /127\.0\.0\.1:7070 is in use: listening on (\d+) instead\n/.exec(stderr) ?? [];
    expect(stderr).toContain(`npx backstep flow list --url http://127.0.0.1:${port}\n`);
    expect(stderr).not.toContain('create-db-instance');
    child.kill('SIGTERM');
    expect(await within('the end', child.end, LONG_MS)).toMatchObject({ code: 0 });
    taken.close();
    await rm(cwd, { recursive: true });
  });
});
