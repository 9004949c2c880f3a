import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPlace } from './test-place.mjs';
import { CHECKS, PROJECTS } from './test-parts.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Of jest, and of the processes in which it runs specs. */
const JEST_FLAGS = ['--import', new URL('stuck-watch.mjs', import.meta.url).href];
/** How long the last words of a process may be on their way once it has ended. */
const LAST_WORDS_MS = 2_000;

/**
 * Runs a check or a project of jest. A check that fails counts as one failure.
 *
 * @param {{name: string, jestArgs?: readonly string[], where?: string}} part `where`: the major
 * version of another Node that runs it, or another broker. Where there is none the part is skipped,
 * and fails under `CI=true`.
 * @param {{isBesideOthers?: boolean, isBackground?: boolean}} [how] Beside others, nothing may be
 * printed into what they print: a project tells of each spec in one go, and `output` is what a
 * check has printed.
 * @returns {Promise<{failed: number, skipped?: number, output: string,
 *   specs: readonly import('./test-summary.mjs').Spec[]}>} `failed`: outside of specs.
 */
export async function runPart({ name, jestArgs = [], where }, how = {}) {
  const chunks = [];
  const place = await findPlace(where).catch((error) => error);
  if (place instanceof Error) return withoutPlace(place);
  const run = (command, more) => runNode(command, { ...how, ...more, ...place });
  const result =
    name in CHECKS
      ? await runCheck(name, (command) => run(command, how.isBesideOthers && { chunks }))
      : await runProject(name, [...jestArgs, ...reportersOf(how)], run);
  for (const spec of result.specs) if (where !== undefined) spec.project = `on ${where} ${name}`;
  return { ...result, output: Buffer.concat(chunks).toString() };
}

function withoutPlace({ message }) {
  const failed = process.env.CI === 'true' ? 1 : 0;
  console.log(message);
  return { failed, skipped: 1 - failed, specs: [], output: '' };
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
  return { failed, specs: [] };
}

async function runProject(name, jestArgs, run) {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-test-'));
  const outputFile = path.join(folder, 'jest.json');
  const command = [
    ...JEST_FLAGS,
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    name,
    '--json',
    `--outputFile=${outputFile}`,
    ...PROJECTS[name],
    ...jestArgs,
  ];
  const code = await run(command);
  const text = await readFile(outputFile, 'utf8').catch(() => '{"testResults":[]}');
  await rm(folder, { recursive: true, force: true });
  const specs = JSON.parse(text).testResults.map((result) => specOf(name, result));
  // A run that failed without a failed test (a crash, a bad argument) is a failure.
  const isTold = specs.some(({ failed }) => failed.length > 0);
  return { failed: code === 0 || isTold ? 0 : 1, specs };
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

function runNode(command, { chunks, env, isBackground, program }) {
  // Programs that a spec starts by their names run on the same Node.
  const PATH = [path.dirname(program), process.env.PATH].join(path.delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn(program, command, {
      cwd: ROOT,
      env: { ...process.env, ...env, PATH },
      stdio: chunks === undefined ? 'inherit' : ['inherit', 'pipe', 'pipe'],
    });
    // Whatever it starts inherits that.
    if (isBackground && child.pid !== undefined) {
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => chunks.push(chunk));
    }
    child.on('error', reject);
    const end = (code) => resolve(code ?? 1);
    child.on('close', end);
    // A process that it leaves behind may keep its output open.
    child.on('exit', (code) => setTimeout(end, LAST_WORDS_MS, code).unref());
  });
}
