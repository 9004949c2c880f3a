import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Api } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { REPOSITORY } from '../stack/index.js';
import type { Stoppable } from '../trial/index.js';
import { type Client, moduleOf } from './cases.js';

const SERVED_WITHIN_MS = 60_000;

/** Where a program works, and for whom. */
interface Workplace {
  /** Has its journal, its gates and its log. */
  readonly folder: string;
  readonly url: string;
}

/** The end of a program: its exit code, or null where a signal ended it. */
type Ended = Promise<number | null>;

/** The program of a client. One that dies by itself is started again, as a supervisor does. */
export class ClientProgram implements Stoppable {
  #child: ChildProcess | null = null;
  #isWanted = false;
  #ended: Ended = Promise.resolve(null);

  private constructor(
    private readonly client: Client,
    private readonly place: Workplace,
  ) {}

  /** Makes the program where it has to be made, and starts it. */
  static async start(client: Client, place: Workplace): Promise<ClientProgram> {
    const program = new ClientProgram(client, place);
    if (client.build !== undefined) {
      const [file = '', ...args] = program.#words(client.build);
      await promisify(execFile)(file, args, { cwd: program.#cwd });
    }
    program.start();
    return program;
  }

  start(): void {
    const { folder, url } = this.place;
    const [file = '', ...args] = this.#words(this.client.command);
    const log = openSync(path.join(folder, 'client.log'), 'a');
    const child = spawn(file, args, {
      cwd: REPOSITORY,
      stdio: ['ignore', log, log],
      env: {
        ...process.env,
        BACKSTEP_URL: url,
        CONFORMANCE_MODULE: moduleOf(this.client.language),
        CONFORMANCE_DIR: folder,
        CONFORMANCE_SLOTS: '4',
        CONFORMANCE_LEASE: '10s',
      },
    });
    this.#isWanted = true;
    this.#child = child;
    this.#ended = once(child, 'exit').then(([code]) => {
      if (this.#isWanted && this.#child === child) this.start();
      return code as number | null;
    });
  }

  /** Sends a signal after which the program is not started again. */
  signal(signal: 'SIGKILL' | 'SIGTERM'): Ended {
    this.#isWanted = false;
    this.#child?.kill(signal);
    return this.#ended;
  }

  /** Kills it. It is started again, as one that dies by itself. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Resolves when a gateway knows a worker of its module. */
  untilServed(api: Api): Promise<void> {
    const module = moduleOf(this.client.language);
    const probe = async (): Promise<void> => {
      const { items } = await api.get<{ items: { module: string }[] }>('/v1/executors');
      if (!items.some((one) => one.module === module)) throw new Error(JSON.stringify(items));
    };
    return waitUntil(probe, { what: `no worker of ${module}`, deadlineMs: SERVED_WITHIN_MS });
  }

  /** Resolves to the exit code of a program that was told to stop. */
  get exit(): Ended {
    return this.#ended;
  }

  async stop(): Promise<void> {
    await this.signal('SIGKILL');
  }

  get #cwd(): string {
    return path.join(REPOSITORY, this.client.cwd ?? '.');
  }

  #words(words: readonly string[]): readonly string[] {
    return words.map((word) => word.replace('{out}', path.join(this.place.folder, 'program')));
  }
}

/** The first program that a client needs and this machine has not; undefined: all are there. */
export function missingFor({ needs }: Client): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return needs.find((name) => !folders.some((folder) => mayRun(path.join(folder, name))));
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
