import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { NODE_FLAGS } from '../test/stack/node-flags.js';
import { programFile } from './places.js';
import type { Usage } from './processor-time.js';
import type { Question, Said } from './serve.js';

const LOG_TAIL = 2_000;
const STOP_MS = 20_000;

/** How to start a program. */
export interface ProgramOptions {
  /** A file of `bench`, without its ending. */
  readonly program: string;
  /** Names its log and everything else it writes. */
  readonly name: string;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Waiter {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** A part of the bench in a process of its own: what it uses is its own, too. */
export class Program {
  /** Called with messages that the program sends by itself. */
  onTold: (told: never) => void = () => {};
  readonly #waiters = new Map<number, Waiter>();
  #asked = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {
    child.on('message', (said: Said) => this.#hear(said));
    child.once('exit', (code, signal) => {
      const words = readFileSync(this.logFile, 'utf8').slice(-LOG_TAIL);
      const error = new Error(`a program has ended (${code ?? signal}):\n${words}`);
      for (const { reject } of this.#waiters.values()) reject(error);
      this.#waiters.clear();
    });
  }

  /** Starts it; resolves when it can be asked. */
  static async start({ env = {}, folder, name, program }: ProgramOptions): Promise<Program> {
    mkdirSync(folder, { recursive: true });
    const logFile = path.join(folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    const { HOME = '/', PATH = '' } = process.env;
    const child = fork(programFile(program), [], {
      cwd: folder,
      env: { HOME, PATH, ...env },
      execArgv: [...NODE_FLAGS],
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const started = new Program(child, logFile);
    await new Promise<void>((resolve, reject) => {
      started.#waiters.set(READY, { resolve: () => resolve(), reject });
    });
    return started;
  }

  /** Asks for something that the program does. */
  ask<T>(call: string, argument: unknown = null): Promise<T> {
    if (!this.child.connected) return Promise.reject(new Error('the program has ended'));
    this.#asked += 1;
    const question: Question = { id: this.#asked, call, argument };
    return new Promise<T>((resolve, reject) => {
      this.#waiters.set(question.id, { resolve, reject });
      // A channel that has just closed fails the question, not the whole bench.
      this.child.send(question, (error) => error && reject(error));
    });
  }

  /** Processor time and memory that the program has used so far. */
  usage(): Promise<Usage> {
    return this.ask<Usage>('usage');
  }

  /** Lets it end in order, and ends it where it does not. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    const patience = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await this.ask('stop').catch(() => undefined);
    this.child.kill();
    await gone;
    clearTimeout(patience);
  }

  #hear(said: Said): void {
    if ('told' in said) {
      this.onTold(said.told as never);
      return;
    }
    const id = 'ready' in said ? READY : said.id;
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if ('error' in said && said.error !== undefined) waiter?.reject(new Error(said.error));
    else waiter?.resolve(('answer' in said ? said.answer : undefined) as never);
  }
}

const READY = 0;
