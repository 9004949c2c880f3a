import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Settings, variableOf } from '#settings';
import { forgetGroup, reapGroup } from '../servers/reaper.js';
import { waitUntil } from '../servers/wait-until.js';
import { NODE_FLAGS } from './node-flags.js';
import { bundledOf, entryOf } from './repository.js';

/** The log line of a process that has started. */
const STARTED = /"event":"started","instance":"([^"]+)"/g;

const READY_MS = 60_000;
const ANSWER_MS = 3_000;
/** Longer than the longest drain. */
const TERMINATE_MS = 30_000;
const LOG_TAIL = 2_000;

/** Kinds of process that Backstep consists of. */
export type AppName = 'standalone' | 'oss' | 'resource' | 'mysql' | 'monitor' | 'http' | 'lab';

/** Settings as an operator writes them: `{ lease: '1s' }`, `{ alertSecretFile: '/run/secret' }`. */
export type WrittenSettings = {
  readonly [K in keyof Settings | `${keyof Settings}File`]?: string;
};

/** How to start a process of Backstep. */
export interface AppPlan {
  readonly name: string;
  readonly app: AppName;
  /**
   * The entry that is started instead of the app's own: another build of it, or another program. It
   * is given the app's name.
   */
  readonly entry?: string | undefined;
  /** False: the modules of the entry are loaded one by one, as users do. Default: as a bundle. */
  readonly isBundled?: boolean | undefined;
  /** How many files it may have open at once. Default: as many as this process. */
  readonly openFiles?: number | undefined;
  /** Flags of Node besides `NODE_FLAGS`. Default: none. */
  readonly nodeFlags?: readonly string[] | undefined;
  readonly port: number;
  /** The address that it listens at. Default: 127.0.0.1, by which it is asked in any case. */
  readonly listenAt?: string | undefined;
  /** Where it works and where its log is; a file `.env` there counts. */
  readonly folder: string;
  readonly settings: WrittenSettings;
  /** Variables that are no settings, such as those of a library that is put before others. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One process of Backstep: started from what was built, told what to do by its environment. */
export class AppProcess {
  readonly url: string;
  readonly logFile: string;
  /** Called when it ends without being told to. */
  onUnexpectedExit: (exit: Exit) => void = () => {};
  #child: ChildProcess | undefined;
  #ending = false;
  #lastExit: Exit | undefined;

  constructor(private readonly plan: AppPlan) {
    this.url = `http://127.0.0.1:${plan.port}`;
    this.logFile = path.join(plan.folder, `${plan.name}.log`);
  }

  get name(): string {
    return this.plan.name;
  }

  get app(): AppName {
    return this.plan.app;
  }

  /** Where it works. */
  get folder(): string {
    return this.plan.folder;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** How it ended last; undefined before that. */
  get lastExit(): Exit | undefined {
    return this.#lastExit;
  }

  /** Everything it has said, in all of its lives. */
  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** The name by which tasks know its present life; undefined before it has started. */
  get instance(): string | undefined {
    return [...this.log.matchAll(STARTED)].at(-1)?.[1];
  }

  /** Starts it; resolves when it is ready for work. */
  async start(): Promise<void> {
    this.launch();
    await this.untilReady();
  }

  /** Starts it and waits for nothing. */
  launch(): void {
    if (this.#child) throw new Error(`${this.name} already runs`);
    const { app, entry = entryOf(app), environment, folder, openFiles, port, settings } = this.plan;
    const { isBundled = true, listenAt = '127.0.0.1', nodeFlags = [] } = this.plan;
    mkdirSync(folder, { recursive: true });
    const log = openSync(this.logFile, 'a');
    const started = [...NODE_FLAGS, ...nodeFlags, isBundled ? bundledOf(entry) : entry, app];
    const [program, ...argv] = limited([process.execPath, ...started], openFiles);
    const child = spawn(program, argv, {
      cwd: folder,
      detached: true,
      env: { ...environment, ...environmentOf({ ...settings, http: `${listenAt}:${port}` }) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    this.#ending = false;
    child.once('exit', (code, signal) => this.#ended(child, { code, signal }));
    if (child.pid !== undefined) reapGroup(child.pid);
    child.unref();
  }

  /** Resolves when it can do its work. Throws with its last words if it ends before. */
  untilReady(): Promise<void> {
    return waitUntil(() => this.#answersReady(), {
      what: `${this.name} is not ready`,
      deadlineMs: READY_MS,
      hopeless: () => (this.#child ? undefined : `it has ended:\n${this.log.slice(-LOG_TAIL)}`),
    });
  }

  /** Sends a signal; resolves when the process is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit | undefined> {
    const child = this.#child;
    if (!child) return this.#lastExit;
    this.#ending = true;
    const gone = once(child, 'exit');
    child.ref();
    child.kill(signal);
    await gone;
    return this.#lastExit;
  }

  /** SIGTERM, which drains it, and SIGKILL where that does not end it. */
  async terminate(): Promise<Exit | undefined> {
    const controller = new AbortController();
    const patience = delay(TERMINATE_MS, undefined, { signal: controller.signal, ref: false });
    void patience.then(
      () => this.kill(),
      () => {},
    );
    this.resume();
    const exit = await this.kill('SIGTERM');
    controller.abort();
    return exit;
  }

  /** Kills it where it still runs and starts it again. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** SIGSTOP: it stands still in the middle of whatever it does. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** SIGCONT: it goes on as if no time had passed. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  #ended(child: ChildProcess, exit: Exit): void {
    if (child.pid !== undefined) forgetGroup(child.pid);
    this.#child = undefined;
    this.#lastExit = exit;
    if (!this.#ending) this.onUnexpectedExit(exit);
  }

  async #answersReady(): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${this.url}/readyz`, { signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
  }
}

/** A bare environment: nothing of the caller's changes how a process behaves. */
function environmentOf(settings: WrittenSettings): Record<string, string> {
  const { HOME = '/', PATH = '' } = process.env;
  const entries = Object.entries(settings).map(([key, value]) => [variableOf(key), value]);
  return { HOME, PATH, ...Object.fromEntries(entries) };
}

type CommandLine = readonly [program: string, ...argv: string[]];

/** A command line that runs with a limit of open files: the shell sets it, and is replaced. */
function limited(line: CommandLine, openFiles: number | undefined): CommandLine {
  if (openFiles === undefined) return line;
  return ['/bin/sh', '-c', 'ulimit -n "$1" && shift && exec "$@"', 'sh', `${openFiles}`, ...line];
}
