/**
 * Makes a fresh clone runnable: dependencies installed, build fresh. Nothing but Node is needed to
 * run this file, because it is what runs first; where nothing is to be done it takes milliseconds
 * and says nothing.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, isFresh, planBuild } from './compile.mjs';
import { isConsoleFresh } from './console.mjs';
import { isGuideFresh } from './guide.mjs';
import { withLock } from './lock.mjs';
import { areProgramsFresh } from './programs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOCK_FILE = path.join(ROOT, 'package-lock.json');
const MODULES = path.join(ROOT, 'node_modules');
const STAMP = path.join(MODULES, '.backstep-installed');
const PLATFORM = `${process.platform}-${process.arch} `;
const INSTALL = ['ci', '--include=dev', '--ignore-scripts', '--engine-strict'];
const QUIETLY = ['--no-audit', '--no-fund', '--prefer-offline'];
const NODE_MIN = [20, 19];

/**
 * Installs what is missing and builds what is stale. Safe to call from several processes at once.
 *
 * @returns {Promise<{built: number, removed: number}>} How many outputs were built and removed.
 */
export async function ready() {
  assertNodeVersion();
  // A published package or a container image has only what was built: nothing to make ready.
  if (!existsSync(LOCK_FILE) || !existsSync(path.join(ROOT, 'libs'))) {
    return { built: 0, removed: 0 };
  }
  if (isInstalled() && (await isBuilt())) return { built: 0, removed: 0 };
  return withLock(path.join(ROOT, 'dist', '.ready.lock'), async () => {
    if (!isInstalled()) await install();
    if (!existsSync(path.join(ROOT, 'dist', 'apps'))) process.stderr.write('building...\n');
    const { built, removed } = await build(ROOT);
    const more = await Promise.all([
      (await isConsoleFresh(ROOT)) ? 0 : buildWith('console'),
      (await areProgramsFresh(ROOT)) ? 0 : buildWith('programs'),
      (await isGuideFresh(ROOT)) ? 0 : buildWith('guide'),
    ]);
    return { built: more.reduce((sum, each) => sum + each, built), removed };
  });
}

async function isBuilt() {
  const plan = await planBuild(ROOT);
  if (!isFresh(plan)) return false;
  const bundled = [isConsoleFresh(ROOT), areProgramsFresh(ROOT), isGuideFresh(ROOT)];
  return (await Promise.all(bundled)).every(Boolean);
}

/** Builds what takes a bundler, in a process of its own: one more output. */
async function buildWith(name) {
  const program = path.join(ROOT, 'scripts', `${name}.mjs`);
  await promisify(execFile)(process.execPath, [program], { cwd: ROOT }).catch((error) => {
    throw new Error(`${name} cannot be built:\n${error.stderr || error.message}`);
  });
  return 1;
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new Error(
    `Backstep needs Node ${NODE_MIN.join('.')} or newer; this is ${process.version}.`,
  );
}

function isInstalled() {
  const wanted = stampOf();
  const stamp = readText(STAMP);
  if (stamp === wanted) return true;
  // Native packages of another platform do not load.
  if (stamp !== undefined && !stamp.startsWith(PLATFORM)) return false;
  if (!holdsLockedVersions()) return false;
  try {
    writeFileSync(STAMP, wanted);
  } catch {
    // They belong to another user: the next start looks again.
  }
  return true;
}

function stampOf() {
  const hash = createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex');
  return `${PLATFORM}${hash}\n`;
}

/** Whether an `npm install` by hand already put there what the lock file asks for. */
function holdsLockedVersions() {
  const installed = readPackages(path.join(MODULES, '.package-lock.json'));
  if (!installed) return false;
  return Object.entries(readPackages(LOCK_FILE) ?? {}).every(([where, wanted]) => {
    if (where === '') return true;
    const there = installed[where];
    if (!there) return wanted.optional === true || wanted.devOptional === true;
    return there.version === wanted.version;
  });
}

function readPackages(file) {
  const text = readText(file);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function install() {
  process.stderr.write('installing dependencies...\n');
  const { code, output } = await runNpm([...INSTALL, ...QUIETLY]);
  if (code !== 0) throw new Error(`npm ci failed (${code}):\n${output}`);
  writeFileSync(STAMP, stampOf());
}

function runNpm(args) {
  const npm = process.env.npm_execpath ?? '';
  const [command, first] = npm.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const child = spawn(command, [...first, ...args], {
    cwd: ROOT,
    shell: command === 'npm' && process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: -1, output: error.message }));
    child.on('close', (code) => resolve({ code, output }));
  });
}
