import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { WORK_LEASE_MS } from '#core';
import { ExpressionEvaluator } from '#expressions';
import { SystemClock, SystemEntropy } from '#machine';
import { Worker, WorkerRefused } from '#worker';
import { formatDuration } from '#wording';
import { exitCodeOf } from '../client/api-error.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import { jobLauncher } from '../jobs/job-launcher.js';
import type { Session } from '../session.js';
import { type Call, listOption, readDuration, restArgs, textOption } from '../tree/call.js';
import { findProgram, type Program } from '../worker/find-program.js';
import { GroupKeeper } from '../worker/group-keeper.js';
import { HttpConnection } from '../worker/http-connection.js';
import { type LimitTexts, ProgramLimits } from '../worker/program-limits.js';
import { runProgram } from '../worker/run-program.js';

/** The lease of an action that a Job carries out: its launcher may be started again meanwhile. */
const JOB_LEASE_MS = 300_000;

/** Options of one kind of worker. */
const OF_PROGRAMS = ['dir', 'nice', 'memory', 'timeLimit'];
const OF_JOBS = ['kubeUrl', 'kubeTokenFile', 'kubeCaFile', 'namespace', 'launcher'];

/** The members of a worker that depend on how it carries out actions. */
type Means = Pick<ConstructorParameters<typeof Worker>[0], 'elsewhere' | 'handle'>;

/** The parts of a worker that do not depend on how it carries out actions. */
interface Workshop {
  readonly session: Session;
  readonly call: Call;
  readonly clock: SystemClock;
  readonly evaluator: ExpressionEvaluator;
}

/** `worker`: carries out actions by programs or Jobs until a signal ends it. */
export async function worker(session: Session, call: Call): Promise<ExitCode> {
  const clock = new SystemClock();
  const evaluator = new ExpressionEvaluator({ clock });
  const workshop = { session, call, clock, evaluator };
  try {
    return await (textOption(call, 'jobTemplate') === undefined
      ? byPrograms(workshop)
      : byJobs(workshop));
  } finally {
    await evaluator.close();
  }
}

async function byPrograms(workshop: Workshop): Promise<ExitCode> {
  const { call, clock, evaluator, session } = workshop;
  refuse(call, OF_JOBS, 'is for --job-template');
  const programs = await programsOf(session, call);
  const limits = new ProgramLimits(limitsOf(call), evaluator);
  const { cwd, env } = session.terminal;
  const folder = await folderIn(path.resolve(cwd, textOption(call, 'dir') ?? tmpdir()));
  const secrets = listOption(call, 'secret');
  const keeper = new GroupKeeper(folder);
  const options = { clock, cwd, env, folder, host: hostname(), keeper, limits, secrets };
  try {
    return await untilStopped(session, 'what runs is finished', () => {
      return run(workshop, [...programs.keys()], {
        handle: (attempt) => runProgram(programs.get(attempt.item.command)!, attempt, options),
      });
    });
  } finally {
    await keeper.close();
  }
}

/** A folder of this worker, which goes with it. Throws a `CliError` where there can be none. */
async function folderIn(parent: string): Promise<string> {
  try {
    return await mkdtemp(path.join(parent, 'backstep-'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${parent} cannot hold the folders of attempts: ${code}`);
  }
}

async function byJobs(workshop: Workshop): Promise<ExitCode> {
  const { call, session } = workshop;
  refuse(call, OF_PROGRAMS, 'is for programs: the template says it of Jobs');
  const commands = listOption(call, 'command');
  if (restArgs(call).length > 0 || commands.some((name) => name.includes('='))) {
    throw new CliError(EXIT.usage, 'the template says what a Job runs: name no program');
  }
  if (commands.length === 0) throw new CliError(EXIT.usage, 'say with --command what Jobs do');
  const launcher = await jobLauncher(workshop);
  const watching = new AbortController();
  const watched = launcher.watch(watching.signal);
  try {
    return await untilStopped(
      session,
      'its Jobs go on, and its next start finds them',
      async () => {
        await launcher.find(session.signal);
        await run(workshop, commands, {
          handle: (attempt) => launcher.handle(attempt),
          elsewhere: launcher,
        });
      },
    );
  } finally {
    watching.abort();
    await watched;
  }
}

function refuse({ options }: Call, names: readonly string[], why: string): void {
  const found = names.find((name) => options[name] !== undefined);
  if (found === undefined) return;
  const flag = found.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError(EXIT.usage, `--${flag} ${why}`);
}

function limitsOf(call: Call): LimitTexts {
  const [nice, memory] = [textOption(call, 'nice'), textOption(call, 'memory')];
  const timeLimit = textOption(call, 'timeLimit');
  return {
    ...(nice !== undefined && { '--nice': nice }),
    ...(memory !== undefined && { '--memory': memory }),
    ...(timeLimit !== undefined && { '--time-limit': timeLimit }),
  };
}

/** Takes work until the session ends. */
async function run(
  { call, clock, session }: Workshop,
  commands: readonly string[],
  means: Means,
): Promise<void> {
  const module = textOption(call, 'module') ?? '';
  const secrets = listOption(call, 'secret');
  const running = new Worker({
    modules: { [module]: Object.fromEntries(commands.map((name) => [name, { secrets }])) },
    ...means,
    slots: slotsOf(call),
    leaseMs: leaseOf(call) ?? (means.elsewhere === undefined ? undefined : JOB_LEASE_MS),
    build: textOption(call, 'build'),
    connection: new HttpConnection(session.client().options, clock),
    clock,
    entropy: new SystemEntropy(),
    say: (line) => session.say(line),
  });
  session.sayMore(`serves ${commands.map((name) => `${module}.${name}`).join(', ')}`);
  await running.run(session.signal);
}

/** The timers of the clock do not keep this process alive. */
const KEEP_ALIVE_MS = 1_000_000;

async function untilStopped(
  session: Session,
  words: string,
  work: () => Promise<void>,
): Promise<ExitCode> {
  const alive = setInterval(() => {}, KEEP_ALIVE_MS);
  const stopping = session.onAbort(`no more work is taken; ${words}`);
  try {
    await work();
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof WorkerRefused)) throw error;
    throw new CliError(exitCodeOf({ status: error.answer.status }), error.message);
  } finally {
    stopping.takeBack();
    clearInterval(alive);
  }
}

/** Programs by the commands that they carry out. */
async function programsOf(
  { terminal }: Session,
  call: Call,
): Promise<ReadonlyMap<string, Program>> {
  const rest = restArgs(call);
  const programs = new Map<string, Program>();
  const named = listOption(call, 'command');
  if (rest.length > 0 && named.length > 0 && named.every((text) => text.includes('='))) {
    throw new CliError(
      EXIT.usage,
      'each --command has a line: none would run the program after --',
    );
  }
  for (const text of named) {
    const [, name = '', line] = /^([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    const words = line === undefined ? rest : ['sh', '-c', line];
    if (words.length === 0) throw noProgram(name);
    if (programs.has(name)) throw new CliError(EXIT.usage, `--command ${name} is given twice`);
    programs.set(name, await findProgram(words, terminal));
  }
  if (programs.size > 0) return programs;
  throw new CliError(EXIT.usage, 'say with --command what the program carries out');
}

function noProgram(name: string): CliError {
  const hint = `Write it after --, or as --command '${name}=./do-it'.`;
  return new CliError(EXIT.usage, `no program carries out ${name}`, hint);
}

function leaseOf(call: Call): number | undefined {
  const text = textOption(call, 'lease');
  if (text === undefined) return undefined;
  const leaseMs = readDuration(text, '--lease');
  const { max, min } = WORK_LEASE_MS;
  if (leaseMs >= min && leaseMs <= max) return leaseMs;
  const bounds = `${formatDuration(min)} to ${formatDuration(max)}`;
  throw new CliError(EXIT.usage, `--lease "${text}" is not from ${bounds}`);
}

const SLOTS_MAX = 1_000;

function slotsOf(call: Call): number {
  const text = textOption(call, 'slots') ?? '1';
  const slots = Number(text);
  if (Number.isInteger(slots) && slots >= 1 && slots <= SLOTS_MAX) return slots;
  throw new CliError(EXIT.usage, `--slots "${text}" is no whole number from 1 to ${SLOTS_MAX}`);
}
