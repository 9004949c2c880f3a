import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, bundledOf, planStandalone, REPOSITORY } from '../stack/index.js';

jest.setTimeout(600_000);

const SHIPPED = path.join(REPOSITORY, 'flow-configs');
const SHELF = bundledOf(path.join(REPOSITORY, 'dist/test/drill/forgetful-shelf.js'));
const SIZE = ['cpu=4', 'memory=8', 'storage=500'];

const command = (module: string, name: string) => ({ module, command: name, retry: 2 });

const LATER = { ...command('lab', 'later'), parameters: { timeout: '1h' } };
const FAIL = { ...command('lab', 'fail'), parameters: { kind: 'terminal' } };

const FLOWS = {
  // Its rollback leaves what it has taken.
  'leaves-allocation': [
    { normal: command('resource', 'deduct_resource'), rollback: command('lab', 'succeed') },
  ],
  'leaves-box': [{ normal: command('shelf', 'put_box'), rollback: command('shelf', 'forget_box') }],
  'asks-and-waits': [
    { name: 'ask', approve: { title: 'sure?' } },
    { name: 'told', wait: { signal: 'go' } },
    { name: 'box', normal: command('shelf', 'put_box'), rollback: command('shelf', 'take_box') },
  ],
  'weak-undo': [
    { name: 'values', set: { a: 1 }, rollback: { module: 'lab', command: 'succeed' } },
    { name: 'box', normal: command('shelf', 'put_box'), rollback: command('shelf', 'take_box') },
  ],
  // Its second step needs the output that another system gives to the first.
  completes: [
    { name: 'order', normal: LATER, rollback: null },
    {
      name: 'use',
      normal: { ...command('lab', 'effect'), parameters: { name: '{% $steps.order.server %}' } },
      rollback: null,
    },
  ],
  // Its child tasks ask as well, and are where something is left.
  'has-children': [
    {
      name: 'each',
      foreach: {
        in: [1, 2, 3],
        as: 'n',
        steps: [
          { name: 'sure', approve: { title: 'sure?' } },
          {
            name: 'box',
            normal: command('shelf', 'put_box'),
            rollback: command('shelf', 'take_box'),
          },
        ],
      },
    },
  ],
  // Of a child task a rollback fails, and its parent waits for that.
  'child-stuck': [
    {
      name: 'each',
      foreach: {
        in: [1],
        as: 'n',
        steps: [{ name: 'box', normal: command('shelf', 'put_box'), rollback: FAIL }],
      },
    },
  ],
  'never-ends': [{ normal: { ...command('lab', 'hang'), parameters: { ms: 3_600_000 } } }],
};

const TESTS = {
  flows: {
    completes: {
      scenarios: [
        {
          name: 'one',
          parameters: { color: 'red' },
          answers: { order: [{ error: 'BUSY', retryable: true }, { output: { server: 's-1' } }] },
        },
        { name: 'two', answers: { 'lab.later': { output: { server: 's-2' } } } },
      ],
    },
  },
};

interface Cell {
  readonly run: string;
  readonly direction: string;
  readonly where: string;
  readonly how: string;
  readonly result: string;
  readonly status: string;
  readonly residue: readonly { readonly module: string; readonly what: string }[];
}

describe('flow drill', () => {
  let cwd: string;
  let child: CliChild | undefined;
  let gateway: AppProcess | undefined;

  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), 'backstep-drilled-'));
    await mkdir(path.join(cwd, 'flow-configs'));
    await writeFile(path.join(cwd, 'flow-configs', 'flows.json'), JSON.stringify(FLOWS));
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await gateway?.kill();
    gateway = undefined;
    await rm(cwd, { recursive: true });
  });

  function drill(...argv: string[]): Promise<CliEnd> {
    child = new CliChild(['flow', 'drill', ...argv], { cwd, isBundled: true });
    return child.end;
  }

  async function cellsOf(...argv: string[]): Promise<{ code: number | null; cells: Cell[] }> {
    const { code, stderr, stdout } = await drill(...argv, '-o', 'json');
    if (!stdout.startsWith('{')) throw new Error(stderr);
    const report = JSON.parse(stdout) as { flows: { cells: Cell[] }[] };
    return { code, cells: report.flows.flatMap(({ cells }) => cells) };
  }

  it('finds a shipped flow clean wherever it fails, and leaves nothing itself', async () => {
    const argv = ['create-db-instance', ...SIZE, '--flows', SHIPPED];
    const { code, cells } = await cellsOf(...argv);
    expect(cells.filter(({ result }) => result !== 'clean')).toEqual([]);
    expect(cells).toHaveLength(32);
    expect(new Set(cells.map(({ status }) => status))).toEqual(new Set(['rolled_back']));
    expect(code).toBe(0);
    expect(await readdir(cwd)).toEqual(['flow-configs']);
  });

  it("asks a user's executors what they hold", async () => {
    const { code, cells } = await cellsOf('leaves-box', '--executors', SHELF);
    const held = cells.filter(({ residue }) => residue.length > 0);
    expect(held.every(({ residue }) => residue[0]?.what === 'a box')).toBe(true);
    // A shelf in memory is empty after a crash.
    const forward = held.filter(({ direction }) => direction === 'normal');
    expect(forward.map(({ how, where }) => `${how} ${where}`)).toEqual([
      'error after',
      'time-out after',
      'crash after',
    ]);
    expect(code).toBe(1);
  });

  it('finds what a rollback has left, and has a gateway keep it with the version', async () => {
    const flows = path.join(cwd, 'flow-configs');
    gateway = await planStandalone({ folder: path.join(cwd, 'gateway'), settings: { flows } });
    await gateway.start();
    const { url } = gateway;
    const drillOf = async (flow: string): Promise<unknown> => {
      const answer = await fetch(`${url}/v1/flows/${flow}`);
      return ((await answer.json()) as { drill: unknown }).drill;
    };
    const argv = ['leaves-allocation', ...SIZE, '--record', '--url', url];
    const { code, stderr, stdout } = await drill(...argv);
    expect(stdout).toMatch(/^deduct_resource +before +clean +clean +clean$/m);
    expect(stdout).toMatch(/^deduct_resource +after +residue! +residue! +residue!$/m);
    expect(stdout).toContain('resource holds an allocation of 4 cores, 8 GiB memory and 500 GiB');
    expect(stderr).toContain('not as expected: leaves-allocation (1)');
    expect(code).toBe(1);
    const failed = { version: 1, passed: false, failures: 7, total: 11 };
    expect(await drillOf('leaves-allocation')).toMatchObject(failed);
    const flow = [{ normal: command('lab', 'succeed'), rollback: command('lab', 'succeed') }];
    await mkdir(path.join(cwd, 'others'));
    await writeFile(path.join(cwd, 'others', 'a.json'), JSON.stringify({ 'leaves-box': flow }));
    const other = await drill('leaves-box', '--flows', './others', '--record', '--url', url);
    expect(other.code).toBe(4);
    expect(other.stderr).toContain('no version of leaves-box there is the one of the file');
    expect(await drillOf('leaves-box')).toBeNull();
  });

  it('plays whom a flow asks, a refusal included', async () => {
    const { code, cells } = await cellsOf('asks-and-waits', '--executors', SHELF);
    expect(cells[0]).toMatchObject({ how: 'error', result: 'clean', status: 'rolled_back' });
    expect(cells).toHaveLength(11);
    expect(cells.filter(({ result }) => result !== 'clean')).toEqual([]);
    expect(code).toBe(0);
  });

  it('finds a weak rollback of a step that is no command', async () => {
    const { cells } = await cellsOf('weak-undo', '--executors', SHELF);
    const stuck = cells.filter(({ result }) => result === 'stuck');
    expect(stuck.map(({ direction, how, run, where }) => [direction, run, where, how])).toEqual([
      ['rollback', 'values', 'before', 'error'],
      ['rollback', 'values', 'after', 'error'],
    ]);
  });

  it('completes what is completed from outside as its scenario says', async () => {
    await writeFile(path.join(cwd, 'flow-configs', 'flows.test.json'), JSON.stringify(TESTS));
    const { code, stderr, stdout } = await drill('completes', 'size=4');
    expect(stdout).toMatch(/^completes, scenario one: succeeded after/m);
    expect(stdout).toMatch(/^completes, scenario two: succeeded after/m);
    // The effect that nothing undoes is found, and so it was made with the output that was given.
    expect(stdout).toContain('lab holds');
    expect(stderr).toContain('drilling completes, scenario one: without a failure\n');
    expect(stderr).toContain('drilling completes, scenario two: use\n');
    expect(code).toBe(1);
  });

  it('lets the steps of child tasks fail, and answers what they ask', async () => {
    const { code, cells } = await cellsOf('has-children', '--executors', SHELF);
    const places = new Set(cells.map(({ direction, run }) => `${direction} ${run}`));
    expect(places).toEqual(
      new Set(
        ['each#1', 'each#3'].flatMap((child) => [
          `normal ${child}/sure`,
          `normal ${child}/box`,
          `rollback ${child}/box`,
        ]),
      ),
    );
    const held = cells.filter(({ result }) => result !== 'clean');
    // A shelf in memory is empty after a crash, and what was on it is not held by anybody.
    expect(held.map(({ how, run }) => `${how} ${run}`)).toEqual([]);
    expect(code).toBe(0);
  });

  it('tells at once that a child task waits for a person', async () => {
    const { stdout } = await drill('child-stuck', '--executors', SHELF, '--rest-within', '10m');
    expect(stdout).toMatch(/^each#1\/box +after +stuck! +stuck! +stuck!$/m);
  });

  it('calls a play stuck that does not come to rest', async () => {
    const { code, stdout } = await drill('never-ends', '--rest-within', '1s');
    expect(stdout).toMatch(/^hang +after +stuck! +stuck! +stuck!$/m);
    expect(stdout).toContain('it did not come to rest within 1s');
    expect(code).toBe(1);
  });

  it('ends with all that it started when it is interrupted', async () => {
    const end = drill('leaves-box', '--executors', SHELF, '-v');
    await child?.untilWritten('error before its effect');
    child?.kill('SIGINT');
    expect((await end).code).toBe(130);
    expect(await readdir(cwd)).toEqual(['flow-configs']);
  });

  it('is ended with its Backstep where it is killed', async () => {
    const end = drill('leaves-box', '--executors', SHELF, '-v');
    await child?.untilWritten('error before its effect');
    const [found = ''] = (await readdir(cwd)).filter((name) => name !== 'flow-configs');
    child?.kill('SIGKILL');
    await end;
    await waitUntil(async () => !(await readdir(cwd)).includes(found), {
      what: 'the folder of the drill is gone',
      deadlineMs: 60_000,
    });
  });

  it.each([
    [['none'], 'there is no flow none'],
    [['leaves-box'], 'shelf'],
    [['leaves-box', '--executors', './none.js'], 'there is no file'],
    [['leaves-box', '--flows', './none'], 'cannot be read: ENOENT'],
    [['leaves-box', '--rest-within', 'soon'], '--rest-within "soon"'],
  ])('refuses %j', async (argv, sentence) => {
    const { code, stderr } = await drill(...argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
    expect(await readdir(cwd)).toEqual(['flow-configs']);
  });
});
