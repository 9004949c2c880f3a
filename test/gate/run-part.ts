import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';
import { CHECKS, PROJECTS } from './parts.js';
import { findPlace, type Place } from './place.js';
import type { PartResult, Spec } from './summary.js';

/** Of jest, and of the processes in which it runs specs. */
const JEST_FLAGS = ['--import', new URL('stuck-watch.js', import.meta.url).href];

/** The members of jest's report that are read. */
interface JestResult {
  readonly testResults: readonly JestSpec[];
}

interface JestSpec {
  readonly name: string;
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

/** How long the last words of a process may be on their way once it has ended. */
const LAST_WORDS_MS = 2_000;

/** A check, or a project of jest with arguments. */
export interface PartToRun {
  readonly name: string;
  readonly jestArgs: readonly string[];
  /** Another Node, by its major version, or another broker. */
  readonly where: string | undefined;
}

/** How a part runs. By default alone, with its output on that of this process. */
export interface How {
  /**
   * Nothing may be printed into what others print: a project tells of each spec in one go, and the
   * output of a check is handed over at its end.
   */
  readonly isBesideOthers?: boolean;
  readonly isBackground?: boolean;
}

/** The outcome of a part, and what it wrote. */
interface RunResult extends PartResult {
  /** Lines that were not printed. */
  readonly output: string;
}

type RunNode = (command: readonly string[], chunks?: Buffer[]) => Promise<number>;

/**
 * Runs a check or a project of jest. A check that fails counts as one failure. Where the Node or
 * broker that it is for is not there, it is skipped, and fails under `CI=true`.
 */
export async function runPart(
  { jestArgs, name, where }: PartToRun,
  how: How = {},
): Promise<RunResult> {
  const place = findPlace(where);
  if (place instanceof Error) return withoutPlace(place);
  let spent: number | undefined;
  const onSpent = (seconds: number | undefined): void => {
    if (seconds !== undefined) spent = (spent ?? 0) + seconds;
  };
  const run: RunNode = (command, chunks) => runNode(command, { chunks, how, onSpent, place });
  const chunks: Buffer[] = [];
  const result =
    name in CHECKS
      ? await runCheck(name, (command) => run(command, how.isBesideOthers ? chunks : undefined))
      : await runProject(name, [...jestArgs, ...reportersOf(how)], run);
  const project = where === undefined ? name : `on ${where} ${name}`;
  const specs = result.specs.map((spec) => ({ ...spec, project }));
  return { ...result, specs, spent, output: Buffer.concat(chunks).toString() };
}

function withoutPlace({ message }: Error): RunResult {
  const failed = process.env['CI'] === 'true' ? 1 : 0;
  console.log(message);
  return { failed, skipped: 1 - failed, specs: [], output: '' };
}

/** Of jest's own reporter, a failure is many prints. */
function reportersOf({ isBesideOthers }: How): readonly string[] {
  return isBesideOthers === true ? ['--reporters=<rootDir>/scripts/spec-reporter.mjs'] : [];
}

async function runCheck(name: string, run: RunNode): Promise<PartResult> {
  let failed = 0;
  for (const command of CHECKS[name] ?? []) {
    if ((await run(command)) !== 0) failed = 1;
  }
  console.log(`${name}: ${failed === 0 ? 'ok' : 'failed'}`);
  return { failed, specs: [] };
}

async function runProject(
  name: string,
  jestArgs: readonly string[],
  run: RunNode,
): Promise<PartResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-test-'));
  const outputFile = path.join(folder, 'jest.json');
  const command = [
    ...JEST_FLAGS,
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    name,
    '--json',
    `--outputFile=${outputFile}`,
    ...(PROJECTS[name] ?? []),
    ...jestArgs,
  ];
  const code = await run(command);
  const text = await readFile(outputFile, 'utf8').catch(() => '{"testResults":[]}');
  await rm(folder, { recursive: true, force: true });
  const specs = (JSON.parse(text) as JestResult).testResults.map((result) => specOf(name, result));
  // A run that failed without a failed test (a crash, a bad argument) is a failure.
  const isTold = specs.some(({ failed }) => failed.length > 0);
  return { failed: code === 0 || isTold ? 0 : 1, specs };
}

function specOf(
  project: string,
  { assertionResults, endTime, name, startTime, status }: JestSpec,
): Spec {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const names = failed.map(({ fullName }) => fullName);
  if (status === 'failed' && names.length === 0) names.push('the file itself');
  const passed = assertionResults.filter((test) => test.status === 'passed').length;
  return {
    project,
    path: path.relative(REPOSITORY, name),
    seconds: (endTime - startTime) / 1_000,
    passed,
    skipped: assertionResults.length - passed - failed.length,
    failed: names,
  };
}

interface NodeRun {
  /** Where the output goes; undefined: to that of this process. */
  readonly chunks: Buffer[] | undefined;
  readonly how: How;
  /** Called at its end with the seconds that processors spent on it and on its children. */
  readonly onSpent: (seconds: number | undefined) => void;
  readonly place: Place;
}

function runNode(
  command: readonly string[],
  { chunks, how, onSpent, place }: NodeRun,
): Promise<number> {
  const { env, program } = place;
  // Programs that a spec starts by their names run on the same Node.
  const PATH = [path.dirname(program), process.env.PATH].join(path.delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn(program, command, {
      cwd: REPOSITORY,
      env: { ...process.env, ...env, PATH },
      stdio: chunks === undefined ? 'inherit' : ['inherit', 'pipe', 'pipe'],
    });
    // Whatever it starts inherits that.
    if (how.isBackground === true && child.pid !== undefined) {
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => chunks?.push(chunk));
    }
    child.on('error', reject);
    const end = (code: number | null): void => resolve(code ?? 1);
    child.on('close', end);
    // A process that it leaves behind may keep its output open.
    child.on('exit', (code) => {
      onSpent(spentSinceLastEnd());
      setTimeout(end, LAST_WORDS_MS, code).unref();
    });
  });
}

/** Linux counts in hundredths of a second. */
const TICKS = 100;
let spentBefore = spentOnEnded() ?? 0;

function spentSinceLastEnd(): number | undefined {
  const now = spentOnEnded();
  const since = now === undefined ? undefined : now - spentBefore;
  spentBefore = now ?? 0;
  return since;
}

/** Seconds that processors spent on ended children; undefined where the system does not tell. */
function spentOnEnded(): number | undefined {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    const [user = 0, system = 0] = fields.split(' ').slice(13, 15).map(Number);
    return (user + system) / TICKS;
  } catch {
    return undefined;
  }
}
