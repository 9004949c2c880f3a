import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { forgetGroup, reapGroup } from './reaper.js';
import { standsStill } from './stands-still.js';
import { waitUntil } from './wait-until.js';
import type { Probe } from './wait-until.js';

const START_MS = 60_000;
const STOP_MS = 15_000;
const TERMINATE_MS = 15_000;
const LOG_TAIL = 2_000;

/** How to start a process. */
export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to a bare environment: nothing of the caller's changes how a server behaves. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/**
 * A child process that can be started again: the leader of a group of its own, so that a signal
 * reaches all that it started, and Ctrl-C in a terminal does not.
 */
export class ServerProcess {
  #child: ChildProcess | undefined;

  constructor(private readonly plan: ProcessPlan) {}

  get running(): boolean {
    return this.#child !== undefined;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it and waits until `ready` succeeds; an end before that fails with its last words. */
  async start(ready: Probe): Promise<void> {
    this.#spawn();
    try {
      await waitUntil(ready, {
        what: `${this.plan.name} does not serve`,
        deadlineMs: START_MS,
        hopeless: () => (this.running ? undefined : 'it has ended'),
      });
    } catch (error) {
      await this.kill();
      throw new Error(`${(error as Error).message}; its log ends:\n${this.#logTail()}`, {
        cause: error,
      });
    }
  }

  /** SIGKILL for the group; resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM, and SIGKILL if that is not obeyed in time. */
  async terminate(): Promise<void> {
    const timer = setTimeout(() => this.#signal('SIGKILL'), TERMINATE_MS);
    this.resume();
    await this.#end('SIGTERM');
    clearTimeout(timer);
  }

  /** SIGSTOP: it keeps its connections and answers nothing. Resolves when it stands still. */
  async pause(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    this.#signal('SIGSTOP');
    const what = `${this.plan.name} does not stop`;
    await waitUntil(() => standsStill(pid), { what, deadlineMs: STOP_MS });
  }

  /** SIGCONT. */
  resume(): void {
    this.#signal('SIGCONT');
  }

  #spawn(): void {
    const { command, args, env, logFile, name } = this.plan;
    if (this.running) throw new Error(`${name} already runs`);
    const log = openSync(logFile, 'a');
    const child = spawn(command, args, {
      cwd: '/',
      detached: true,
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    const gone = () => {
      if (child.pid !== undefined) forgetGroup(child.pid);
      this.#child = undefined;
    };
    child.once('exit', gone);
    child.once('error', gone);
    if (child.pid !== undefined) reapGroup(child.pid);
    child.unref();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const exited = once(child, 'exit');
    child.ref();
    this.#signal(signal);
    await exited;
  }

  #signal(signal: NodeJS.Signals): void {
    const leader = this.#child?.pid;
    if (leader !== undefined) process.kill(-leader, signal);
  }

  #logTail(): string {
    return readFileSync(this.plan.logFile, 'utf8').slice(-LOG_TAIL);
  }
}
