import { inspect } from 'node:util';
import { expectSocketPlace, hearStopSignals, isFree, nextFreePort, SystemClock } from '#machine';
import type { Logger } from '#platform';
import {
  isWritten,
  type Listener,
  loadSettings,
  type Mode,
  type Settings,
  SettingsError,
} from '#settings';
import type { Clock } from '#ports';
import { attemptNow } from '#executor';
import { authorStack } from './load-executors.js';
import { type ProcessPlan, type RunningProcess, startProcess } from './start-process.js';

/** The end of a process, and whether it was asked for. */
interface Ending {
  readonly logger: Logger;
  /** Whether the process stops because it was told to. */
  isAskedFor: boolean;
}

/** A process's view of its parent. */
interface ParentView {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parent's id now. */
  readonly ppid: number;
}

/** How often the parent is looked for, in milliseconds. */
const PARENT_LOOK_MS = 1_000;

/** Exit codes of a process, of those the command line documents. */
const USAGE = 2;
const FAILED = 1;

/**
 * The umask of a process. Its files are for its own user; code that writes a file for others says
 * so.
 */
const PRIVATE_FILES = 0o077;

/**
 * Runs a process until it is told to stop: SIGTERM and SIGINT drain it, a second one ends it at
 * once, unless it is the same signal within a second. Settings come from the environment, `.env`
 * and the configuration file. The process gets a umask of 077.
 */
export async function runProcess(
  plan: ProcessPlan,
  flags: Readonly<Record<string, string>> = {},
  mode: Mode = 'start',
): Promise<RunningProcess | null> {
  process.umask(PRIVATE_FILES);
  const settings = readSettings(flags, mode);
  if (settings === null) return null;
  if (plan.needsOthers === true && isAlone(settings)) {
    process.stderr.write(`backstep ${plan.name} could not start: ${ALONE}\n`);
    process.exitCode = USAGE;
    return null;
  }
  const wanted = listenerOf(plan, settings);
  const listener = await freeListener(wanted, {
    isFixed: mode !== 'dev' || isWritten(settings, 'BACKSTEP_HTTP'),
  });
  try {
    // Before the store is opened, and its flows are read, for nothing.
    await expectFree(listener);
    const running = await startProcess(plan, settings, listener);
    // Before it says that it listens: a supervisor may stop it from then on.
    const stoppable = watched(running);
    tellAddress(plan, running);
    return stoppable;
  } catch (error) {
    if (error instanceof SettingsError) return refuse(error);
    const stack = authorStack(error);
    const reason = reasonOf(error, listener) + (stack === undefined ? '' : `\n${stack}`);
    process.stderr.write(`backstep ${plan.name} could not start: ${reason}\n`);
    process.exitCode = FAILED;
    return null;
  }
}

/** In the log, so that a program that reads it finds nothing else; whatever is logged besides. */
function tellAddress({ name }: ProcessPlan, { context, url }: RunningProcess): void {
  const { instance, logger } = context;
  const always = logger.child({}, { level: 'info' });
  const message = `backstep ${name} listens on ${url} as ${instance}`;
  always.info({ event: 'listens', instance, url }, message);
}

async function expectFree(listener: Listener): Promise<void> {
  if ('socket' in listener) return expectSocketPlace(listener.socket);
  if (!(await isFree(listener))) throw new AddressTaken();
}

/** Something listens there already. */
class AddressTaken extends Error {
  readonly code = 'EADDRINUSE';
}

const ALONE =
  'it works with other processes, and sqlite: and memory: are for one. ' +
  'Set BACKSTEP_STORE to mongodb://... and BACKSTEP_TRANSPORT to amqp://..., or run everything ' +
  'in one process: backstep start standalone, or backstep dev --executors';

function isAlone({ store, transport }: Settings): boolean {
  return store.kind === 'sqlite' || transport.kind === 'memory';
}

/** The host that an error of a search for its address is about. */
interface ForHost {
  readonly hostname?: string;
}

function reasonOf(error: unknown, listener: Listener): string {
  const known = (error ?? {}) as NodeJS.ErrnoException & ForHost;
  const { code, hostname, message, syscall } = known;
  if ('host' in listener) {
    const address = `${listener.host}:${listener.port}`;
    if (code === 'EADDRINUSE') {
      const advice = 'Stop what listens there, or set BACKSTEP_HTTP to another address.';
      return `${address} is in use. ${advice}`;
    }
    const isSearched = syscall === 'getaddrinfo' && hostname === listener.host;
    if (syscall === 'listen' || isSearched) {
      return `nothing can listen on ${address} (${message}). Set BACKSTEP_HTTP to another address.`;
    }
  }
  return error instanceof Error ? error.message : String(error);
}

function readSettings(flags: Readonly<Record<string, string>>, mode: Mode): Settings | null {
  try {
    return loadSettings({ mode, flags, env: process.env, cwd: process.cwd() });
  } catch (error) {
    if (error instanceof SettingsError) return refuse(error);
    throw error;
  }
}

/** In the words of all commands. */
function refuse({ message }: SettingsError): null {
  process.stderr.write(`error: ${message}\n`);
  process.exitCode = USAGE;
  return null;
}

/**
 * Several processes of one machine share settings, so each kind has a port of its own by default.
 */
export function listenerOf(plan: ProcessPlan, settings: Settings): Listener {
  const { http } = settings;
  return isWritten(settings, 'BACKSTEP_HTTP') || 'socket' in http
    ? http
    : { ...http, port: plan.port };
}

/** Where nobody said where, a process to develop with listens on the next port that is free. */
async function freeListener(
  wanted: Listener,
  { isFixed }: { readonly isFixed: boolean },
): Promise<Listener> {
  if (isFixed || 'socket' in wanted) return wanted;
  const port = await nextFreePort(wanted);
  if (port === null || port === wanted.port) return wanted;
  process.stderr.write(`${wanted.host}:${wanted.port} is in use: listening on ${port} instead\n`);
  return { ...wanted, port };
}

/** The process, which hears signals, and logs what ends it otherwise. */
function watched(running: RunningProcess): RunningProcess {
  const ending = { logger: running.context.logger, isAskedFor: false };
  const stop = (): Promise<void> => {
    ending.isAskedFor = true;
    return running.stop();
  };
  logSuddenEnds(ending);
  stopOnSignals(stop, ending.logger);
  return { ...running, stop };
}

function stopOnSignals(end: () => Promise<void>, logger: Logger): void {
  const stop = (): void => {
    end().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ event: 'stop_failed', error }, 'stopping failed');
        process.exit(FAILED);
      },
    );
  };
  const clock = new SystemClock();
  hearStopSignals(process, clock, { stop, again: () => process.exit(FAILED) });
  watchParent(process, clock, stop);
}

/**
 * Calls `gone` once when the parent of a process that npx started is gone. A signal to npx ends npx
 * and the shell between, and leaves the program running with nobody to stop it. A process that was
 * started otherwise may outlive its parent, as those of `nohup` and of shells do, and is not
 * watched.
 */
export function watchParent(view: ParentView, clock: Clock, gone: () => void): void {
  const { env, ppid } = view;
  if (env['npm_command'] !== 'exec' || env['npm_lifecycle_event'] !== 'npx') return;
  const look = (): void => {
    if (view.ppid === ppid) clock.after(PARENT_LOOK_MS, look);
    else gone();
  };
  clock.after(PARENT_LOOK_MS, look);
}

/**
 * Ends the process at an error that nobody caught, and logs what ended it: that error, or the place
 * that called `process.exit`, each with the attempt whose command it came from.
 */
function logSuddenEnds(ending: Ending): void {
  const { logger } = ending;
  const fail = (error: unknown): void => {
    ending.isAskedFor = true;
    const known = error instanceof Error ? error : new Error(inspect(error));
    const about = { event: 'unhandled_error', ...attemptPlace(), error: known };
    logger.error(about, 'an unhandled error ends the process');
    process.exit(FAILED);
  };
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);
  process.once('exit', (code) => {
    const stack = ending.isAskedFor ? undefined : callerOfExit();
    if (stack === undefined) return;
    const about = { event: 'process_exit', ...attemptPlace(), stack };
    logger.error(about, `a call of process.exit(${code}) ends the process`);
  });
}

/** The frames below the call of `process.exit`, whose listeners run within it; undefined: none. */
function callerOfExit(): string | undefined {
  const frames = new Error().stack?.split('\n') ?? [];
  const exit = frames.findLastIndex((frame) => /\bprocess\.exit\b/.test(frame));
  return exit < 0 ? undefined : frames.slice(exit + 1).join('\n');
}

function attemptPlace(): object {
  const attempt = attemptNow();
  if (attempt === undefined) return {};
  const { direction, run, step, taskId } = attempt;
  return { taskId, step, run, attempt: attempt.attempt, direction };
}
