import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { codeBlocks, localLinks } from '../docs/markdown.js';
import { Api } from '../load/index.js';
import { freePort } from '../servers/free-ports.js';
import { PackageProject } from '../package/package-project.js';
import { waitUntil } from '../servers/wait-until.js';
import { REPOSITORY } from '../stack/index.js';

jest.setTimeout(300_000);

/** Another Node to try the package with; the one that runs the tests where it is not set. */
const NODE = process.env['BACKSTEP_TEST_NODE'] ?? process.execPath;
const TOOLS = path.join(REPOSITORY, 'node_modules');
const SBOM = 'dist/test/package/sbom.js';

const own = new PackageProject(NODE);
const project = own.path;
let archive: string;

const ended = (code: number) => expect.objectContaining({ code });

/** The commands that the pages tell people to run; this spec runs them. */
const BEGINNING = [
  'npx backstep init ../my-executors',
  'cd ../my-executors',
  'npm install',
  'npm test',
  'npm start',
];

/** As a person does it who has a clone: the project gets an archive of it. */
beforeAll(async () => {
  await own.begin();
  archive = own.archive;
});

afterAll(() => own.remove());

describe('the package', () => {
  it('has compiled code and declarations, and nothing that only the clone needs', () => {
    const root = path.join(project, 'node_modules/backstep');
    const files = readdirSync(root, { recursive: true }).map(String);
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
    const isShown = (file: string): boolean => /^(examples|templates)\b/.test(file);
    expect(sources.filter((file) => !isShown(file))).toEqual([]);
    const others = files.filter((file) =>
      /(spec\.|\.map$|^dist.(bench|examples|test)\b)/.test(file),
    );
    expect(others.filter((file) => !isShown(file))).toEqual([]);
    const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    };
    const targets = Object.values(exports).flatMap((target) => Object.values(target));
    const named = targets.filter((target) => target.startsWith('./dist/'));
    expect(named.filter((target) => !existsSync(path.join(root, target)))).toEqual([]);
  });

  it('has all that its README and its documentation lead to', () => {
    const root = path.join(project, 'node_modules/backstep');
    const pages = readdirSync(path.join(root, 'docs'), { recursive: true }).map(String);
    const named = pages.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`);
    expect(named).toContain('docs/write-an-executor.md');
    const missing = ['README.md', ...named].flatMap((page) => {
      const links = localLinks(readFileSync(path.join(root, page), 'utf8'));
      const targets = links.map((link) => path.join(root, path.dirname(page), link.path));
      return targets.filter((target) => !existsSync(target)).map((target) => `${page}: ${target}`);
    });
    expect(missing).toEqual([]);
  });

  it.each([
    ['publint', ['publint/src/cli.js', 'run', '--strict']],
    ['attw', ['@arethetypeswrong/cli/dist/index.js', '--profile', 'esm-only']],
  ])('is found in order by %s', async (_tool, [tool = '', ...args]) => {
    expect(await own.run(own.folder, NODE, path.join(TOOLS, tool), ...args, archive)).toEqual(
      ended(0),
    );
  });

  it('starts its command line without what only processes need', async () => {
    for (const line of [['--version'], ['--help'], ['task', 'list', '--url', await closedUrl()]]) {
      const loaded = await packagesLoadedBy(line);
      expect(loaded).toContain('commander');
      const heavy = /^(@nestjs|ajv|amqplib|class-|fastify|libsql|mongodb|mysql2|pino|rxjs)/;
      expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
    }
  });
});

/** The packages that npm warns of on Node 20, as the page lists them. */
function warnedOf(page: string): readonly string[] {
  const text = readFileSync(path.join(REPOSITORY, page), 'utf8');
  const rows = text.slice(text.indexOf('EBADENGINE')).split('\n\n')[1] ?? '';
  return [...rows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}

it('installs into a project that was there before, with the warnings that the page lists', async () => {
  const bare = path.join(own.folder, 'bare');
  mkdirSync(bare);
  writeFileSync(path.join(bare, 'package.json'), '{ "name": "bare", "type": "module" }');
  const installed = await own.install(bare, archive);
  expect(installed).toEqual(ended(0));
  const warned = [...installed.stderr.matchAll(/EBADENGINE +package: '([^']+)@/g)];
  const { stdout: version } = await own.run(bare, NODE, '--version');
  const listed = Number(/\d+/.exec(version)?.[0]) < 22 ? warnedOf('docs/write-an-executor.md') : [];
  expect(new Set(warned.map(([, name]) => name))).toEqual(new Set(listed));
  const doors = ['backstep', 'backstep/barrier', 'backstep/standalone', 'backstep/testing'];
  const code = doors.map((door) => `await import('${door}');`).join('');
  const loaded = await own.run(bare, NODE, '--input-type=module', '-e', `${code} process.exit(0);`);
  expect(loaded).toEqual({ code: 0, stdout: '', stderr: '' });
  const listing = await own.run(REPOSITORY, NODE, SBOM);
  const { components } = JSON.parse(listing.stdout) as { components: { name: string }[] };
  const listedNames = new Set(['backstep', ...components.map(({ name }) => name)]);
  expect(installedIn(bare).filter((name) => !listedNames.has(name))).toEqual([]);
});

/** Names of all packages of a project, however deep. */
function installedIn(folder: string): readonly string[] {
  const lock = readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, unknown>> };
  return Object.keys(packages).map((place) => place.split('node_modules/').at(-1)!);
}

describe('a new project', () => {
  it.each(['README.md', 'docs/write-an-executor.md'])('is begun as %s says', (page) => {
    const blocks = codeBlocks(readFileSync(path.join(REPOSITORY, page), 'utf8'));
    const beginnings = blocks.filter(({ text }) => text.includes('backstep init '));
    expect(beginnings.map(({ text }) => text.trim().split('\n'))).toEqual([BEGINNING]);
  });

  it('gets the archive that its Backstep was installed from, where it has one', async () => {
    const made = await own.run(project, 'node_modules/.bin/backstep', 'init', '../second');
    expect(made).toEqual(ended(0));
    const second = path.join(own.folder, 'second');
    const { dependencies } = JSON.parse(
      readFileSync(path.join(second, 'package.json'), 'utf8'),
    ) as { readonly dependencies: Readonly<Record<string, string>> };
    expect(dependencies['backstep']).toBe(`file:vendor/${path.basename(archive)}`);
    const copied = readFileSync(path.join(second, 'vendor', path.basename(archive)));
    expect(copied.equals(readFileSync(archive))).toBe(true);
  });

  it('is refused where there is something already, in one sentence', async () => {
    const cli = path.join('node_modules', 'backstep', 'bin', 'backstep.mjs');
    expect(await own.run(project, NODE, cli, 'init', '.')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: . is not empty: name a new folder\n',
    });
  });

  it('compiles with every declaration checked, and passes its own test', async () => {
    const result = await own.run(project, 'npm', 'test');
    expect(result).toEqual(ended(0));
    expect(result.stdout).toMatch(/pass 5\n/);
  });

  it('compiles as a bundler resolves modules, too', async () => {
    const options = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const strict = ['--noEmit', '--incremental', 'false', '--exactOptionalPropertyTypes'];
    const tsc = path.join('node_modules', 'typescript', 'bin', 'tsc');
    const result = await own.run(project, NODE, tsc, ...strict, ...options);
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('does not start as an executor alone without something to share', async () => {
    const result = await own.run(project, 'npm', 'run', '--silent', 'serve');
    expect(result).toEqual(ended(2));
    expect(result.stderr).toContain('Set BACKSTEP_STORE to mongodb://...');
  });

  it('runs its executor, anew when its code changes', async () => {
    const { child, ready, url } = await own.start();
    const api = new Api(url);
    try {
      const send = () => api.run('order', { item: 'chair', count: 1, address: 'here' });
      expect(await send()).toMatchObject({ status: 'succeeded' });
      expect(await api.get('/console/')).toContain('<title>Backstep</title>');
      const code = path.join(project, 'dist/stock.executor.js');
      const changed = readFileSync(code, 'utf8').replace('sentTo:', 'carriedTo:');
      writeFileSync(code, changed);
      const runsNewCode = async () => {
        expect((await send()).steps[1]?.output).toEqual({ carriedTo: 'here' });
      };
      await waitUntil(runsNewCode, { what: 'the new code', deadlineMs: 60_000 });
      child.kill('SIGTERM');
      await once(child, 'exit');
      const isGone = () => expect(ready()).rejects.toThrow('fetch failed');
      await waitUntil(isGone, { what: 'the end of its child', deadlineMs: 60_000 });
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
  });
});

async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

/** Names of the packages that a command line loads something of, as Node itself counts them. */
async function packagesLoadedBy(line: readonly string[]): Promise<readonly string[]> {
  const counted = mkdtempSync(path.join(own.folder, 'loaded-'));
  const cli = path.join(project, 'node_modules/backstep/bin/backstep.mjs');
  const env = own.surroundings({ NODE_V8_COVERAGE: counted });
  await once(spawn(NODE, [cli, ...line], { cwd: own.folder, env, stdio: 'ignore' }), 'exit');
  const files = readdirSync(counted).flatMap((name) => {
    const report = readFileSync(path.join(counted, name), 'utf8');
    return (JSON.parse(report) as { result: readonly { url: string }[] }).result;
  });
  const names = files.map(({ url }) => url.split('/node_modules/').at(-1)!.split('/'));
  return [
    ...new Set(names.map(([scope = '', name]) => scope + (scope[0] === '@' ? `/${name}` : ''))),
  ];
}
