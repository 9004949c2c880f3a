import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BARRIER_TABLE, openSqlite, SqliteBarrier } from '#barrier';
import { SystemClock } from '#machine';
import { attemptOf } from '#testing';
import { findPythons, findPythonTools } from '../clients/find-pythons.js';
import { REPOSITORY } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(300_000);

const exec = promisify(execFile);
const CLIENT = path.join(REPOSITORY, 'clients/python');
const tools = findPythonTools();
const pythons = await findPythons();
const trial = new Trial('client-python');

/** What a command has said; throws where it fails. */
async function run(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  const { HOME = '/', PATH = '' } = process.env;
  const env = { HOME, PATH, LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', PYENV_VERSION: '' };
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  const { stderr, stdout } = await exec(program, [...args], options);
  return `${stdout}${stderr}`;
}

/** The copy that is built: what a build leaves behind is not the tree's. */
const copy = (): string => path.join(trial.folder, 'client');
const wheelIn = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
  return path.join(folder, names[0]!);
};

beforeAll(
  trial.guard(async () => {
    await trial.open();
    const isSource = (file: string): boolean => !/__pycache__|_cache$|\/dist$/.test(file);
    await cp(CLIENT, copy(), { recursive: true, filter: isSource });
  }),
);
afterAll(() => trial.close());

const WHY = '.ci/install-tools has not been run';
const describeTools =
  tools !== null && pythons.length > 0
    ? describe
    : process.env['CI'] === 'true'
      ? (name: string) => it(name, () => expect(WHY).toBe('installed'))
      : (name: string, body: () => void) => describe.skip(`${name} (skipped: ${WHY})`, body);

describeTools('the Python client', () => {
  const bin = tools ?? '';
  const dist = (): string => path.join(trial.folder, 'dist');

  beforeAll(
    trial.guard(async () => {
      await run(copy(), path.join(bin, 'hatchling'), 'build', '-d', dist());
    }),
  );

  trial.it('has types that hold, also for those who use it', async () => {
    const config = path.join(CLIENT, 'pyproject.toml');
    const cache = path.join(trial.folder, 'mypy');
    const args = ['--config-file', config, '--cache-dir', cache, 'src', 'conformance'];
    await run(copy(), path.join(bin, 'mypy'), ...args);
    await cp(path.join(REPOSITORY, 'templates/python/stock.py'), path.join(copy(), 'stock.py'));
    const said = await run(copy(), path.join(bin, 'mypy'), ...args, 'stock.py');
    expect(said).toMatch(/^Success/);
  });

  trial.it('is the same built from its source archive', async () => {
    const names = await readdir(dist());
    const archive = names.find((name) => name.endsWith('.tar.gz'))!;
    const unpacked = path.join(trial.folder, 'unpacked');
    await mkdir(unpacked);
    await run(unpacked, 'tar', 'xzf', path.join(dist(), archive), '--strip-components=1');
    const again = path.join(trial.folder, 'again');
    const args = ['build', '-t', 'wheel', '-d', again];
    await run(unpacked, path.join(bin, 'hatchling'), ...args);
    const list = async (folder: string) => {
      const zip = ['-m', 'zipfile', '-l', await wheelIn(folder)];
      return (await run(folder, path.join(bin, 'python'), ...zip)).split('\n').sort();
    };
    expect(await list(again)).toEqual(await list(dist()));
    expect((await list(dist())).join('\n')).toContain('backstep/py.typed');
  });

  it.concurrent.each(pythons)('passes its tests, installed on Python $version', async (python) => {
    const home = path.join(trial.folder, `on-${python.version}`);
    await run(trial.folder, python.program, '-m', 'venv', '--without-pip', home);
    const own = path.join(home, 'bin/python');
    const install = ['--python', own, 'install', '--no-index', '--no-deps', await wheelIn(dist())];
    await run(home, path.join(bin, 'pip'), ...install);
    // From a folder without sources, so that what is tried is what was installed.
    const tests = path.join(copy(), 'tests');
    // The processes of the command line take most of the time: the first and the last try them.
    const isBetween = python !== pythons[0] && python !== pythons.at(-1);
    const which = ['-s', tests, '-p', isBetween ? 'test_[!c]*.py' : 'test_*.py'];
    const said = await run(home, own, '-W', 'error', '-m', 'unittest', 'discover', ...which);
    expect(said).toMatch(/^OK/m);
  });

  trial.it('begins a project whose tests pass', async () => {
    const project = path.join(trial.folder, 'project');
    await run(REPOSITORY, process.execPath, 'bin/backstep.mjs', 'init', '--python', project);
    const vendor = path.join(project, 'vendor/backstep-worker');
    expect(existsSync(path.join(vendor, 'pyproject.toml'))).toBe(true);
    const home = path.join(trial.folder, 'venv');
    await run(project, pythons[0]!.program, '-m', 'venv', '--without-pip', home);
    const own = path.join(home, 'bin/python');
    const site = await run(home, own, '-c', 'import site; print(site.getsitepackages()[0])');
    await writeFile(path.join(site.trim(), 'vendor.pth'), `${vendor}/src\n`);
    expect(await run(project, own, '-m', 'unittest')).toMatch(/^OK/m);
  });
});

/** Goes on with the effect of the file, in Python. */
const GO_ON = `
import json, sqlite3, sys
from backstep.barrier import SqlBarrier
from backstep.testing import context

barrier = SqlBarrier(sqlite3.connect(sys.argv[1]))
barrier.prepare()
attempt = context(**json.loads(sys.argv[2]))
again = barrier.forward(attempt, lambda cursor: {"by": "Python"})
undone = []
barrier.rollback(attempt, lambda cursor, output: undone.append(output))
print(json.dumps([again, undone]))
`;

const first = pythons[0];
(first === undefined ? it.skip : it)('its barrier goes on with marks of TypeScript', async () => {
  const clock = new SystemClock();
  const file = path.join(trial.folder, 'marks.db');
  const store = await openSqlite({ clock, file, migrations: [BARRIER_TABLE] });
  await new SqliteBarrier(store, clock).forward(attemptOf(1), () => ({ by: 'TypeScript' }));
  await store.close();
  const { run: runId, taskId } = attemptOf(1);
  const attempt = JSON.stringify({ task_id: taskId, run: runId, fencing_token: 2 });
  const script = path.join(trial.folder, 'go_on.py');
  await writeFile(
    script,
    GO_ON.replace('import json', `import sys; sys.path.insert(0, "${CLIENT}/src")\nimport json`),
  );
  const said = await run(trial.folder, first!.program, script, file, attempt);
  const output = { by: 'TypeScript' };
  expect(JSON.parse(said)).toEqual([output, [output]]);
});
