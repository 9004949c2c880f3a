import { execFile } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BARRIER_TABLE, openSqlite, SqliteBarrier } from '#barrier';
import { SystemClock } from '#machine';
import { findPythons, findPythonTools, type Python } from '../clients/find-pythons.js';
import { describeWith } from '../servers/describe-with.js';
import { present, startMariadb } from '../servers/index.js';
import { REPOSITORY } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(300_000);

const CLIENT = path.join(REPOSITORY, 'clients/python');
const SOURCES = { PYTHONPATH: path.join(CLIENT, 'src') };
const pythons = await findPythons();
const tools = findPythonTools();
const trial = new Trial('python-worker');

beforeAll(trial.guard(() => trial.open()));
afterAll(() => trial.close());

/** The output of a command; throws where it fails. */
async function run(
  cwd: string,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = '', ...args] = command;
  const { HOME = '/', PATH = '' } = process.env;
  const env = { HOME, PATH, LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', ...more };
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  const { stderr, stdout } = await promisify(execFile)(program, args, options);
  return `${stdout}${stderr}`;
}

const [first] = pythons;
if (first === undefined) {
  it.skip('the worker library for Python (skipped: there is no Python)', () => undefined);
} else {
  describeProject(first);
  if (tools !== null) {
    describePackage(tools);
    describeBarrier(tools);
  } else if (process.env['CI'] === 'true') {
    it('the tools of Python are there', () => expect('.ci/install-tools').toBe('run'));
  } else {
    it.skip('the package (skipped: .ci/install-tools has not been run)', () => undefined);
  }
}

function describePackage(bin: string): void {
  describe('the worker library for Python', () => {
    // A build leaves files behind, which must not be in the tree.
    const copy = (): string => path.join(trial.folder, 'client');
    const dist = (): string => path.join(trial.folder, 'dist');

    beforeAll(
      trial.guard(async () => {
        const filter = (file: string): boolean => !/__pycache__|_cache$|\/dist$/.test(file);
        await cp(CLIENT, copy(), { recursive: true, filter });
        await run(copy(), [path.join(bin, 'hatchling'), 'build', '-d', dist()]);
      }),
    );

    trial.it('has types that hold, also for those who use it', async () => {
      await cp(path.join(REPOSITORY, 'templates/python/stock.py'), path.join(copy(), 'stock.py'));
      const paths = ['src', 'conformance', 'stock.py'];
      const said = await run(copy(), [path.join(bin, 'mypy'), ...paths]);
      expect(said).toMatch(/^Success/);
    });

    trial.it('is the same built from its source archive', async () => {
      const archive = (await readdir(dist())).find((name) => name.endsWith('.tar.gz'))!;
      const unpacked = path.join(trial.folder, 'unpacked');
      const again = path.join(trial.folder, 'again');
      await mkdir(unpacked);
      const from = path.join(dist(), archive);
      await run(unpacked, ['tar', 'xzf', from, '--strip-components=1']);
      await run(unpacked, [path.join(bin, 'hatchling'), 'build', '-t', 'wheel', '-d', again]);
      const list = async (folder: string): Promise<string> => {
        const zip = [path.join(bin, 'python'), '-m', 'zipfile', '-l', await wheelIn(folder)];
        return (await run(folder, zip)).split('\n').sort().join('\n');
      };
      expect(await list(again)).toBe(await list(dist()));
      expect(await list(again)).toContain('backstep/py.typed');
    });

    it.concurrent.each(pythons)('passes its tests, installed on Python $version', async (one) => {
      const home = path.join(trial.folder, `on-${one.version}`);
      await run(trial.folder, [one.program, '-m', 'venv', '--without-pip', home]);
      const own = path.join(home, 'bin/python');
      const install = ['install', '--no-index', '--no-deps', await wheelIn(dist())];
      await run(home, [path.join(bin, 'pip'), '--python', own, ...install]);
      // The processes of the command line take most of the time: the first and the last try them.
      const isBetween = one !== pythons[0] && one !== pythons.at(-1);
      const names = isBetween ? 'test_[!c]*.py' : 'test_*.py';
      const tests = ['discover', '-s', path.join(copy(), 'tests'), '-p', names];
      // From a folder without sources, so that what is tried is what was installed.
      expect(await run(home, [own, '-W', 'error', '-m', 'unittest', ...tests])).toMatch(/^OK/m);
    });
  });
}

async function wheelIn(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  return path.join(folder, name!);
}

function describeProject({ program }: Python): void {
  trial.it('a new project has tests that pass', async () => {
    const project = path.join(trial.folder, 'project');
    await run(REPOSITORY, [process.execPath, 'bin/backstep.mjs', 'init', '--python', project]);
    const vendor = path.join(project, 'vendor/backstep-worker');
    expect(await readdir(vendor)).toEqual(['README.md', 'pyproject.toml', 'src']);
    const own = { PYTHONPATH: path.join(vendor, 'src') };
    expect(await run(project, [program, '-m', 'unittest'], own)).toMatch(/^OK/m);
  });

  trial.it('its barrier goes on with marks of TypeScript', async () => {
    const clock = new SystemClock();
    const file = path.join(trial.folder, 'marks.db');
    const store = await openSqlite({ clock, file, migrations: [BARRIER_TABLE] });
    const attempt = { taskId: 'shared', run: 'pay', fencingToken: 1 };
    await new SqliteBarrier(store, clock).forward(attempt, () => ({ by: 'TypeScript' }));
    await store.close();
    const said = await run(trial.folder, [program, '-c', GO_ON, file], SOURCES);
    expect(JSON.parse(said)).toEqual([{ by: 'TypeScript' }, [{ by: 'TypeScript' }]]);
  });
}

/** Goes on with the effect of a file. */
const GO_ON = `
import json, sqlite3, sys
from backstep.barrier import SqlBarrier
from backstep.testing import context

barrier = SqlBarrier(sqlite3.connect(sys.argv[1]))
barrier.prepare()
attempt = context(task_id="shared", run="pay", fencing_token=2)
again = barrier.forward(attempt, lambda cursor: {"by": "Python"})
undone = []
barrier.rollback(attempt, lambda cursor, output: undone.append(output))
print(json.dumps([again, undone]))
`;

function describeBarrier(bin: string): void {
  describeWith('its barrier', { servers: ['mariadb'] }, () => {
    trial.it('keeps the rules in MariaDB', async () => {
      const server = trial.use(present(await startMariadb({ own: true })));
      const env = { ...SOURCES, BACKSTEP_TEST_MYSQL: server.url };
      const tests = [path.join(bin, 'python'), '-m', 'unittest', 'test_barrier.InMysql'];
      expect(await run(path.join(CLIENT, 'tests'), tests, env)).toMatch(/^OK$/m);
    });
  });
}
