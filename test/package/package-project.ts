import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../servers/free-ports.js';
import { reapFolder, reapGroup } from '../servers/reaper.js';
import { waitUntil } from '../servers/wait-until.js';
import { REPOSITORY } from '../stack/index.js';

const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];

/** A command that has ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of a project that runs, and its address. */
export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  /** Fails while it is not ready. */
  readonly ready: () => Promise<void>;
}

/**
 * A project as `backstep init` begins it, with an archive of this clone as its Backstep, and the
 * Node that all of it runs with.
 */
export class PackageProject {
  /** Holds all that a test makes; gone with the project. */
  readonly folder = mkdtempSync(path.join(tmpdir(), 'backstep-package-'));
  readonly path = path.join(this.folder, 'my-executors');

  /** `node`: path of the program. */
  constructor(readonly node: string) {
    reapFolder(this.folder);
  }

  /** Begins the project and installs what it needs. Throws where one of these fails. */
  async begin(): Promise<void> {
    await this.must(REPOSITORY, this.node, 'bin/backstep.mjs', 'init', this.path);
    const { stderr } = await this.must(this.path, 'npm', 'install', '--engine-strict', ...QUIET);
    if (stderr.includes('EBADENGINE')) throw new Error(stderr);
  }

  /** Path of the archive that the project has of Backstep. */
  get archive(): string {
    const [name] = readdirSync(path.join(this.path, 'vendor'));
    return path.join(this.path, 'vendor', name!);
  }

  /** Installs packages in a folder, beside the scripts of none. */
  install(cwd: string, ...packages: readonly string[]): Promise<Ended> {
    return this.run(cwd, 'npm', 'install', ...QUIET, ...packages);
  }

  run(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      const env = this.surroundings();
      execFile(command, args, { cwd, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  /** Runs `npm start` on a port of its own until it is ready. */
  async start(): Promise<Running> {
    const port = await freePort();
    const env = this.surroundings({
      BACKSTEP_HTTP: `127.0.0.1:${port}`,
      BACKSTEP_X_UNHEARD_OF: '1',
    });
    const options = { cwd: this.path, env, detached: true, stdio: 'ignore' } as const;
    const child = spawn('npm', ['start'], options);
    reapGroup(child.pid!);
    const url = `http://127.0.0.1:${port}`;
    const ready = async (): Promise<void> => {
      const answer = await fetch(`${url}/readyz`);
      if (!answer.ok) throw new Error(await answer.text());
    };
    await waitUntil(ready, { what: 'the project', deadlineMs: 60_000 });
    return { child, url, ready };
  }

  /** A shell of a user who has neither the clone nor its settings. */
  surroundings(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !/^(npm_|BACKSTEP_)/.test(name));
    const binaries = path.dirname(this.node) + path.delimiter + process.env['PATH'];
    return { ...Object.fromEntries(own), PATH: binaries, NODE_OPTIONS: '', ...more };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async must(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
    const result = await this.run(cwd, command, ...args);
    if (result.code === 0) return result;
    throw new Error(`${command} ${args.join(' ')}: ${JSON.stringify(result)}`);
  }
}
