import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './test-node.mjs';
import { CHECKS, PROJECTS } from './test-parts.mjs';
import { reportOf } from './test-retry.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Of jest, and of the processes in which it runs specs. */
const JEST_FLAGS = ['--import', new URL('stuck-watch.mjs', import.meta.url).href];
/** How long a jest may take to end once its results are written. */
const GRACE_SECONDS = 20;
const KILLED = -9;
/** How long the last words of a process may be on their way once it has ended. */
const LAST_WORDS_MS = 2_000;

/**
 * Runs a check or a project of jest. A check that fails counts as one failure.
 *
 * @param {{name: string, jestArgs?: readonly string[], node?: string}} part `node`: the major
 * version of another Node that runs it. Where there is none the part is skipped, and fails under
 * `CI=true`.
 * @param {{isBesideOthers?: boolean, isBackground?: boolean}} [how] Beside others, nothing may be
 * printed into what they print: a project tells of each spec in one go, and `output` is what a
 * check has printed.
 * @returns {Promise<{passed: number, failed: number, skipped: number, output: string,
 *   specs: readonly import('./test-summary.mjs').Spec[]}>}
 */
export async function runPart({ name, jestArgs = [], node }, how = {}) {
  const chunks = [];
  const program =
    node === undefined ? process.execPath : await findNode(node).catch((error) => error);
  if (program instanceof Error) return withoutNode(program);
  const run = (command, more) => runNode(command, { ...how, ...more, program });
  const counts =
    name in CHECKS
      ? await runCheck(name, (command) => run(command, how.isBesideOthers && { chunks }))
      : await runProject(name, [...jestArgs, ...reportersOf(how)], run);
  for (const spec of counts.specs) if (node !== undefined) spec.project = `on ${node} ${name}`;
  return { ...counts, output: Buffer.concat(chunks).toString() };
}

function withoutNode({ message }) {
  const failed = process.env.CI === 'true' ? 1 : 0;
  console.log(message);
  return { passed: 0, failed, skipped: 1 - failed, specs: [], output: '' };
}

/** Of jest's own reporter, a failure is many prints. */
function reportersOf({ isBesideOthers }) {
  return isBesideOthers ? ['--reporters=<rootDir>/scripts/spec-reporter.mjs'] : [];
}

async function runCheck(name, run) {
  let failed = 0;
  for (const command of CHECKS[name]) {
    if ((await run(command)) !== 0) failed = 1;
  }
  console.log(`${name}: ${failed === 0 ? 'ok' : 'failed'}`);
  return { passed: 0, failed, skipped: 0, specs: [] };
}

async function runProject(name, jestArgs, run) {
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
  const timesFile = path.join(folder, 'times.jsonl');
  const code = await run(command, {
    watch: (child) => endAfter(child, outputFile),
    env: { SPEC_TIMES: timesFile },
  });
  const counts = await readCounts(name, { outputFile, timesFile });
  await rm(folder, { recursive: true, force: true });
  // A run that failed without a failed test (an open handle, a crash, a bad argument) is a failure.
  const counted = counts.passed + counts.failed > 0;
  if (code === KILLED && counted) return counts;
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function readCounts(project, { outputFile, timesFile }) {
  const text = await readFile(outputFile, 'utf8').catch(() => undefined);
  if (text === undefined) return reportOf([]);
  const times = await readTimes(timesFile);
  const specs = JSON.parse(text).testResults.map((result) => specOf(project, result));
  return reportOf(specs.map((spec) => ({ ...spec, cpuSeconds: times.get(spec.path) ?? 0 })));
}

/** Seconds of processor time by path. */
async function readTimes(file) {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((one) => JSON.parse(one));
  return new Map(lines.map(({ file: spec, seconds }) => [path.relative(ROOT, spec), seconds]));
}

function specOf(project, { assertionResults, endTime, name, startTime, status }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const names = failed.map(({ fullName }) => fullName);
  if (status === 'failed' && names.length === 0) names.push('the file itself');
  const passed = assertionResults.filter((test) => test.status === 'passed').length;
  return {
    project,
    path: path.relative(ROOT, name),
    seconds: (endTime - startTime) / 1_000,
    passed,
    skipped: assertionResults.length - passed - failed.length,
    failed: names,
  };
}

/**
 * Ends a jest that has written its results and does not end by itself. The results count; a message
 * says that it was ended, because a test that keeps it alive is flawed.
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

function runNode(command, { chunks, env = {}, isBackground, program, watch = () => {} }) {
  // Programs that a spec starts by their names run on the same Node.
  const PATH = [path.dirname(program), process.env.PATH].join(path.delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn(program, command, {
      cwd: ROOT,
      env: { ...process.env, PATH, ...env },
      stdio: chunks === undefined ? 'inherit' : ['inherit', 'pipe', 'pipe'],
    });
    // Whatever it starts inherits that.
    if (isBackground && child.pid !== undefined) {
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => chunks.push(chunk));
    }
    watch(child);
    child.on('error', reject);
    // Ended from here after its results: they say whether something failed.
    const end = (code, signal) => resolve(signal === 'SIGKILL' ? KILLED : (code ?? 1));
    child.on('close', end);
    // A process that it leaves behind may keep its output open.
    child.on('exit', (code, signal) => setTimeout(end, LAST_WORDS_MS, code, signal).unref());
  });
}
