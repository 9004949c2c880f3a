import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundledOf, entryOf } from '../stack/repository.js';

/** How a command line ended. */
export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a command line runs. */
export interface CliPlace {
  readonly cwd: string;
  /** Added to a bare environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** True: as a bundle, which starts sooner, and so do its processes. Default: as users have it. */
  readonly isBundled?: boolean;
}

/** The real command line, as a process of its own. */
export class CliChild {
  stdout = '';
  stderr = '';
  /** Resolves when it is gone. */
  readonly end: Promise<CliEnd>;
  readonly #child: ChildProcess;

  constructor(argv: readonly string[], { cwd, env = {}, isBundled = false }: CliPlace) {
    const entry = isBundled ? bundledOf(entryOf('cli')) : entryOf('cli');
    this.#child = spawn(process.execPath, [entry, ...argv], {
      cwd,
      env: { PATH: process.env['PATH'], TMPDIR: cwd, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.end = once(this.#child, 'close').then(([code]) => {
      return { code: code as number | null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Gives it all of its input. */
  input(text: string): void {
    this.#child.stdin?.end(text);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Closes its standard output, as `head` does when it has seen enough. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** Resolves when it has written this. Rejects if it ends without having. */
  async untilWritten(text: string): Promise<void> {
    const { promise, resolve, reject } = withResolvers();
    const look = (): void => {
      if ((this.stdout + this.stderr).includes(text)) resolve();
    };
    const outputs = [this.#child.stdout, this.#child.stderr];
    for (const output of outputs) output?.on('data', look);
    look();
    const giveUp = async (): Promise<void> => {
      const { code, stderr, stdout } = await this.end;
      reject(new Error(`ended with ${code} and never wrote ${text}:\n${stdout}\n${stderr}`));
    };
    void giveUp();
    await promise;
    for (const output of outputs) output?.off('data', look);
  }
}

function withResolvers() {
  let resolve: () => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
