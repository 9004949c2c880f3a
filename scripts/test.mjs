/**
 * `npm test [-- part...] [jest arguments]`: the checks and the jest projects, in the order in which
 * they are quickest to tell that something is wrong. Every part runs, whatever came before it, and
 * the last line sums them up: a check that fails counts as one failure.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ready } from './ready.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const JEST_FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
/** How long a jest may take to end once its results are written. */
const GRACE_SECONDS = 20;
const KILLED = -9;
const TSC = 'node_modules/typescript/bin/tsc';

const CHECKS = {
  typecheck: [
    [TSC, '--noEmit', '-p', 'tsconfig.json'],
    [TSC, '-p', 'libs/core'],
    [TSC, '-p', 'libs/ports'],
  ],
  lint: [['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--quiet']],
  format: [
    ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '--cache', '.'],
  ],
};
const PROJECTS = {
  unit: [],
  // Clients of servers that were killed and frozen may still be waiting for them.
  contract: ['--forceExit'],
  architecture: [],
  // These start servers and measure time: side by side they would disturb one another.
  e2e: ['--runInBand', '--forceExit'],
};
const PARTS = [...Object.keys(CHECKS), ...Object.keys(PROJECTS)];

const args = process.argv.slice(2);
const firstOther = args.findIndex((arg) => !PARTS.includes(arg));
const named = firstOther === -1 ? args : args.slice(0, firstOther);
const jestArgs = firstOther === -1 ? [] : args.slice(firstOther);
const parts = named.length > 0 ? named : PARTS;

await ready().catch((error) => {
  console.error(error.message);
  finish({ passed: 0, failed: 1, skipped: 0 });
});
const sum = { passed: 0, failed: 0, skipped: 0 };
for (const part of parts) {
  const counts = part in CHECKS ? await runCheck(part) : await runProject(part);
  for (const key of Object.keys(sum)) sum[key] += counts[key];
}
finish(sum);

function finish({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed === 0 ? 0 : 1);
}

async function runCheck(name) {
  let failed = 0;
  for (const command of CHECKS[name]) {
    if ((await runNode(command)) !== 0) failed = 1;
  }
  console.log(`${name}: ${failed === 0 ? 'ok' : 'failed'}`);
  return { passed: 0, failed, skipped: 0 };
}

async function runProject(name) {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-test-'));
  const outputFile = path.join(folder, 'jest.json');
  const command = [
    ...JEST_FLAGS,
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    name,
    '--passWithNoTests',
    '--json',
    `--outputFile=${outputFile}`,
    ...PROJECTS[name],
    ...jestArgs,
  ];
  const code = await runNode(command, (child) => endAfter(child, outputFile));
  const counts = await readCounts(outputFile);
  await rm(folder, { recursive: true, force: true });
  // A run that failed without a failed test (an open handle, a crash, a bad argument) is a failure.
  const counted = counts.passed + counts.failed > 0;
  if (code === KILLED && counted) return counts;
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function readCounts(file) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 0, skipped: 0 };
  const report = JSON.parse(text);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Ends a jest that has written its results and does not end by itself. What it has counted holds;
 * what keeps it alive is said, because it is a flaw of a test.
 */
function endAfter(child, outputFile) {
  let written = 0;
  const timer = setInterval(() => {
    if (!existsSync(outputFile)) return;
    written += 1;
    if (written < GRACE_SECONDS) return;
    console.error(`jest did not end ${GRACE_SECONDS} s after its results, so it was ended`);
    child.kill('SIGKILL');
  }, 1_000);
  child.on('close', () => clearInterval(timer));
}

function runNode(command, watch = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, {
      cwd: ROOT,
      stdio: 'inherit',
    });
    watch(child);
    child.on('error', reject);
    // Ended from here after its results: they say whether something failed.
    child.on('close', (code, signal) => resolve(signal === 'SIGKILL' ? KILLED : (code ?? 1)));
  });
}
