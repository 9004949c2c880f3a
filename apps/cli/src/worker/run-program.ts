import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Timer } from '#ports';
import type { Attempt, Outcome, Stopped } from '#worker';
import { type Exit, exitFailure } from './exit-failure.js';
import type { Program } from './find-program.js';
import type { GroupKeeper } from './group-keeper.js';
import { readLines, textOf } from './line-reader.js';
import { limitedProgram, type ProgramLimits } from './program-limits.js';
import { programEnvironment } from './program-environment.js';
import { OUTPUT_BYTES_MAX, ProgramOutput } from './program-output.js';

/** The longest line of a log that is kept whole by the gateway, and some more. */
const LOG_LINE_BYTES_MAX = 16 * 1024;
/** How often, each after a moment, lines are read that come after the end of the program. */
const LEFT_OPEN_LOOKS = 20;
const LEFT_OPEN_LOOK_MS = 50;
/** How long a program may take to stop whose own time is over. */
const TIME_OVER_STOP_MS = 10_000;
/** How often it is looked whether a group that was told to stop has ended. */
const GROUP_LOOK_MS = 100;
/** The wait before an action is handed back whose program cannot be started now. */
const NOT_STARTED_MS = 5_000;

/** How programs are run. */
interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Holds the folders of the attempts. */
  readonly folder: string;
  readonly host: string;
  /** Members of the output that are secrets. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly keeper: GroupKeeper;
  readonly limits: Pick<ProgramLimits, 'of'>;
}

/**
 * Carries out an action by a program of its own. Exit code 0: it succeeded; 75: it failed and may
 * be tried again; any other: it failed for good. Throws the `Stopped` of an attempt that was called
 * off, once all processes of the program have ended.
 */
export async function runProgram(
  program: Program,
  attempt: Attempt,
  options: ProgramOptions,
): Promise<Outcome> {
  const found = await options.limits.of(attempt.item);
  if ('fault' in found) {
    return { kind: 'fail', retryable: false, code: 'INVALID_LIMIT', message: found.fault };
  }
  const { limits } = found;
  // Something that tidies old files away may have taken it.
  await mkdir(options.folder, { recursive: true });
  const folder = await mkdtemp(path.join(options.folder, 'attempt-'));
  try {
    const limited = limitedProgram(program, limits);
    return await new ProgramRun(attempt, { ...options, folder }, limits.timeMs).run(limited);
  } finally {
    await removed(folder, attempt);
  }
}

/** A folder that cannot be removed changes nothing of how the attempt ended. */
async function removed(folder: string, attempt: Pick<Attempt, 'say'>): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    attempt.say(`the folder of the attempt stays: ${(error as Error).message}`);
  }
}

class ProgramRun {
  readonly #output: ProgramOutput;
  #lastLine = '';
  #isTimeOver = false;

  constructor(
    private readonly attempt: Attempt,
    private readonly options: Omit<ProgramOptions, 'limits'>,
    private readonly timeMs: number | null,
  ) {
    this.#output = new ProgramOutput(options.secrets, (text) => this.#say(text));
  }

  async run({ args, file }: Program): Promise<Outcome> {
    const { cwd, env, folder } = this.options;
    const output = path.join(folder, 'output');
    const variables = programEnvironment(env, this.attempt.item, { folder, output });
    const child = await started(() => {
      return spawn(file, args, { cwd, env: variables, detached: true, stdio: 'pipe' });
    });
    if (child instanceof Error) return this.#notStarted(child);
    const reading = this.#read(child);
    const exit = await this.#untilExit(child, child.pid as number);
    await this.#endOf(reading, child);
    const { signal, stopped } = this.attempt;
    // Many programs end with 0 when they are stopped, however far they are.
    const isTimeOver = this.#isTimeOver || stopped?.isTimeOver === true;
    if (exit.code === 0 && !isTimeOver) return this.#output.outcome(await textIn(output));
    this.#output.giveUp();
    signal.throwIfAborted();
    const isOnce = this.attempt.item.confirm;
    if (this.#isTimeOver) {
      const message = `the program took more than its ${this.timeMs} ms`;
      return { kind: 'fail', retryable: !isOnce, code: 'TIMED_OUT', message };
    }
    return exitFailure({ exit, lastLine: this.#lastLine, isOnce });
  }

  /** Whatever is left of the group ends with the program, or after its time to stop. */
  async #untilExit(child: ChildProcessWithoutNullStreams, group: number): Promise<Exit> {
    const { keeper } = this.options;
    keeper.add(group);
    const stopEnded = this.#stopWhenAsked(group);
    const [code, signal] = (await once(child, 'exit')) as [Exit['code'], Exit['signal']];
    await stopEnded();
    killGroup(group, 'SIGKILL');
    keeper.drop(group);
    return { code, signal };
  }

  /**
   * SIGTERM when the attempt is called off or its time is over, then SIGKILL. The function that it
   * returns ends this, once a group that was asked to stop has ended, or has had its time.
   */
  #stopWhenAsked(group: number): () => Promise<void> {
    const { signal } = this.attempt;
    const { clock } = this.options;
    const timers: Timer[] = [];
    let endAt = -Infinity;
    const stop = (withinMs: number): void => {
      endAt = clock.monotonic() + withinMs;
      killGroup(group, 'SIGTERM');
      timers.push(clock.after(withinMs, () => killGroup(group, 'SIGKILL')));
    };
    const callOff = (): void => stop((signal.reason as Stopped).withinMs);
    signal.addEventListener('abort', callOff, { once: true });
    if (signal.aborted) callOff();
    const endTime = (): void => {
      this.#isTimeOver = true;
      stop(TIME_OVER_STOP_MS);
    };
    if (this.timeMs !== null) timers.push(clock.after(this.timeMs, endTime));
    return async () => {
      while (clock.monotonic() < endAt && killGroup(group, 0)) await clock.sleep(GROUP_LOOK_MS);
      signal.removeEventListener('abort', callOff);
      for (const timer of timers) timer.cancel();
    };
  }

  async #read(child: ChildProcessWithoutNullStreams): Promise<void> {
    const { stderr, stdin, stdout } = child;
    // A program need not read its parameters.
    stdin.on('error', () => {});
    stdin.end(`${JSON.stringify(this.attempt.item.parameters)}\n`);
    await Promise.all([
      readLines(stdout, OUTPUT_BYTES_MAX, (line) => this.#output.add(line)),
      readLines(stderr, LOG_LINE_BYTES_MAX, ({ text }) => {
        if (text.trim() !== '') this.#lastLine = text.trim();
        this.#say(text);
      }),
    ]);
  }

  /** Processes that the program has left elsewhere may hold its pipes open. */
  async #endOf(reading: Promise<void>, child: ChildProcessWithoutNullStreams): Promise<void> {
    const read = new AbortController();
    const end = (): void => read.abort();
    reading.then(end, end);
    // With each moment comes a chunk: one wait could be over before a busy worker has read any.
    for (let left = LEFT_OPEN_LOOKS; left > 0 && !read.signal.aborted; left -= 1) {
      await this.options.clock.sleep(LEFT_OPEN_LOOK_MS, read.signal);
    }
    child.stdout.destroy();
    child.stderr.destroy();
    await reading;
  }

  /** It was there when the worker began: this is trouble of the machine, and not of the task. */
  async #notStarted({ code, message }: NodeJS.ErrnoException): Promise<Outcome> {
    const words = `the program cannot be started: ${message}`;
    if (code === 'E2BIG') return { kind: 'fail', retryable: false, message: words };
    await this.options.clock.sleep(NOT_STARTED_MS, this.attempt.signal);
    return { kind: 'release', reason: words };
  }

  #say(text: string): void {
    const { clock, host } = this.options;
    this.attempt.say(`[${new Date(clock.now()).toISOString()}][${host}] ${text}`);
  }
}

/** The process, or the reason why there is none. */
async function started(
  start: () => ChildProcessWithoutNullStreams,
): Promise<ChildProcessWithoutNullStreams | NodeJS.ErrnoException> {
  try {
    const child = start();
    if (child.pid !== undefined) return child;
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    return error;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** The text of `$BACKSTEP_OUTPUT`; empty: nothing was written there. Null: it is too large. */
async function textIn(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  // A pipe would be read for ever.
  if (found?.isFile() !== true) return '';
  return found.size > OUTPUT_BYTES_MAX ? null : readFile(file).then(textOf, () => '');
}

/** False: all of its processes have ended. */
function killGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
