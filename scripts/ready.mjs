/**
 * Makes a fresh clone runnable: dependencies installed, build fresh. It runs first, so it needs
 * nothing but Node. Where nothing is to be done it takes a tenth of a second and says nothing.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from './lock.mjs';
import { stampsOf } from './outputs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = path.join(ROOT, 'dist');
const LOCK_FILE = path.join(ROOT, 'package-lock.json');
/** npm's own list of the packages that it has installed. */
const INSTALLED_FILE = path.join(ROOT, 'node_modules/.package-lock.json');
/** Stamps of the parts as they were made last. */
const MADE_FILE = path.join(DIST, '.made.json');
const INSTALL = ['ci', '--include=dev', '--ignore-scripts', '--engine-strict'];
const QUIETLY = ['--no-audit', '--no-fund', '--prefer-offline'];
const NODE_MIN = [20, 19];

/**
 * Installs what is missing and builds what is stale. Safe to call from several processes at once.
 *
 * @returns {Promise<readonly string[]>} The parts of dist/ that were built.
 */
export async function ready() {
  assertNodeVersion();
  // A published package or a container image has only what was built: nothing to make ready.
  if (!existsSync(LOCK_FILE) || !existsSync(path.join(ROOT, 'libs'))) return [];
  if (isInstalled() && staleParts().length === 0) return [];
  mkdirSync(DIST, { recursive: true });
  return withLock(path.join(DIST, '.ready.lock'), async () => {
    if (!isInstalled()) install();
    if (!existsSync(MADE_FILE)) process.stderr.write('building...\n');
    const stale = staleParts();
    // Programs are bundled from the code, and the others beside it.
    await Promise.all([
      stale.includes('console') && make('console'),
      stale.includes('guide') && make('guide'),
      (async () => {
        for (const name of ['code', 'programs']) if (stale.includes(name)) await make(name);
      })(),
    ]);
    return stale;
  });
}

/** Run by jest before specs, so that they never run on a stale build. */
export default async function readyForSpecs() {
  await ready();
}

function staleParts() {
  const made = readJson(MADE_FILE) ?? {};
  return Object.entries(stampsOf(ROOT))
    .filter(([name, stamp]) => made[name] !== stamp)
    .map(([name]) => name);
}

/** In a process of its own, so that nothing of a compiler or bundler stays in this one. */
async function make(name) {
  const stamp = stampsOf(ROOT)[name];
  const program = path.join(ROOT, 'scripts', `${name}.mjs`);
  await promisify(execFile)(process.execPath, [program], { cwd: ROOT }).catch((error) => {
    throw new Error(`${name} cannot be built:\n${error.stdout}${error.stderr || error.message}`);
  });
  const made = readJson(MADE_FILE) ?? {};
  writeFileSync(MADE_FILE, JSON.stringify({ ...made, [name]: stamp }));
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new Error(
    `Backstep needs Node ${NODE_MIN.join('.')} or newer; this is ${process.version}.`,
  );
}

/** Whether npm has installed what the lock file asks for, and for this platform. */
function isInstalled() {
  const installed = readJson(INSTALLED_FILE)?.packages;
  if (installed === undefined || !Object.values(installed).every(fitsPlatform)) return false;
  return Object.entries(readJson(LOCK_FILE).packages).every(([where, wanted]) => {
    const there = installed[where];
    if (where === '') return true;
    if (!there) return wanted.optional === true || wanted.devOptional === true;
    return there.version === wanted.version;
  });
}

/** Native packages of another platform do not load. */
function fitsPlatform({ cpu, os }) {
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function install() {
  process.stderr.write('installing dependencies...\n');
  const npm = process.env.npm_execpath ?? '';
  const [command, first] = npm.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const { error, status, stderr, stdout } = spawnSync(command, [...first, ...INSTALL, ...QUIETLY], {
    cwd: ROOT,
    encoding: 'utf8',
    shell: command === 'npm' && process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: Infinity,
  });
  if (status !== 0) {
    throw new Error(`npm ci failed (${status}):\n${error?.message ?? ''}${stdout}${stderr}`);
  }
}
