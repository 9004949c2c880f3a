import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { reapGroup } from '../servers/reaper.js';

/** Where and with what the commands of a page are run. */
export interface ShellPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The result of a block of commands. */
export interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  /** One line for each command that failed: exit code and text. */
  readonly failures: readonly string[];
}

/** One shell for a page, as a reader has one terminal: what a block sets, the next one knows. */
export class DocShell {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  constructor(private readonly place: ShellPlace) {
    const { cwd, env } = place;
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    reapGroup(this.#child.pid!);
    this.#lines = createInterface({ input: this.#child.stdout! });
    this.#child.stdin!.write(`trap 'echo "$? $BASH_COMMAND" >> "${this.#file('failed')}"' ERR\n`);
  }

  /** Runs a block to its end. */
  run(commands: string): Promise<ShellResult> {
    rmSync(this.#file('failed'), { force: true });
    const files = `</dev/null >"${this.#file('out')}" 2>"${this.#file('err')}"`;
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error(`the shell has ended: ${this.#read('err')}`));
      this.#child.once('exit', onExit);
      this.#lines.once('line', () => {
        this.#child.off('exit', onExit);
        const failures = this.#read('failed').split('\n').filter(Boolean);
        resolve({ stdout: this.#read('out'), stderr: this.#read('err'), failures });
      });
      this.#child.stdin!.write(`{\n${commands}\n} ${files}\necho done\n`);
    });
  }

  /** Ends it, and whatever it has started. */
  close(): void {
    this.#lines.close();
    if (this.#child.exitCode === null) process.kill(-this.#child.pid!, 'SIGKILL');
  }

  #file(name: string): string {
    return path.join(this.place.cwd, `.doc-shell-${name}`);
  }

  #read(name: string): string {
    const file = this.#file(name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}
