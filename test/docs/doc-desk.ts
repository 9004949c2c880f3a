import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isFlowFileName, parseFlowFile } from '#flow-files';
import { reapFolder, reapGroup } from '../servers/reaper.js';
import { waitUntil } from '../servers/wait-until.js';
import { DocShell, type ShellResult } from './doc-shell.js';
import { REPOSITORY } from './pages.js';

/** The address in the pages. */
const SHOWN_URL = 'http://127.0.0.1:7070';
const LINKED = 'clients dist docs examples monitoring package.json schemas scripts'.split(' ');
const ENTRY = path.join(REPOSITORY, 'bin/backstep.mjs');
/** The key of the audit log, as docs/access.md names it. */
const AUDIT_KEY = 'audit.key';
const LOADED_MS = 60_000;

/** A reader's desk: a working copy, Backstep running in it, and a terminal. */
export class DocDesk {
  private constructor(
    private readonly folder: string,
    private readonly backstep: ChildProcess,
    private readonly url: string,
    private readonly shell: DocShell,
  ) {}

  /** Opens one whose data is gone when it is closed; the terminal has more variables. */
  static async open(more: Readonly<Record<string, string>> = {}): Promise<DocDesk> {
    const folder = await mkdtemp(path.join(tmpdir(), 'backstep-docs-'));
    reapFolder(folder);
    await layOut(folder);
    const backstep = startBackstep(folder);
    const url = await urlOf(backstep);
    const PATH = `${path.join(folder, '.bin')}${path.delimiter}${process.env['PATH'] ?? ''}`;
    const env = { ...more, PATH, BACKSTEP_URL: url, NO_COLOR: '1', FORCE_COLOR: undefined };
    const desk = new DocDesk(folder, backstep, url, new DocShell({ cwd: folder, env }));
    await desk.#untilLoaded();
    return desk;
  }

  /** Runs a block; resolves when Backstep has taken the flow files it may have written. */
  async run(commands: string): Promise<ShellResult> {
    const result = await this.shell.run(commands.replaceAll(SHOWN_URL, this.url));
    await this.#untilLoaded();
    const stdout = result.stdout.replaceAll(this.url, SHOWN_URL);
    return { ...result, stdout };
  }

  async close(): Promise<void> {
    this.shell.close();
    process.kill(-this.backstep.pid!, 'SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  #untilLoaded(): Promise<void> {
    const probe = async (): Promise<void> => {
      const names = await flowNames(path.join(this.folder, 'flow-configs'));
      const response = await fetch(`${this.url}/v1/flows`);
      const { items } = (await response.json()) as { items: { name: string }[] };
      const known = new Set(items.map(({ name }) => name));
      const missing = names.filter((name) => !known.has(name));
      if (missing.length > 0) throw new Error(`there is no flow ${missing.join(', ')}`);
    };
    return waitUntil(probe, { what: 'flows are loaded', deadlineMs: LOADED_MS });
  }
}

/** Lays out the files that commands on the pages use, and an `npx` that never asks a registry. */
async function layOut(folder: string): Promise<void> {
  const bin = path.join(folder, '.bin');
  await mkdir(bin);
  const npx = path.join(bin, 'npx');
  const refuse = '[ "$1" = backstep ] || { echo "npx $1: not in a page" >&2; exit 127; }';
  const run = `shift; exec "${process.execPath}" "${ENTRY}" "$@"`;
  await writeFile(npx, `#!/bin/sh\n${refuse}\n${run}\n`);
  await chmod(npx, 0o755);
  await cp(path.join(REPOSITORY, 'flow-configs'), path.join(folder, 'flow-configs'), {
    recursive: true,
  });
  await makeAuditKey(path.join(folder, AUDIT_KEY));
  for (const name of LINKED) await symlink(path.join(REPOSITORY, name), path.join(folder, name));
}

/** Makes the key that docs/access.md makes by a command. */
async function makeAuditKey(file: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
}

function startBackstep(cwd: string): ChildProcess {
  const own = { BACKSTEP_HTTP: '127.0.0.1:0', BACKSTEP_LOG: 'error' };
  const env = { ...process.env, ...own, BACKSTEP_AUDIT_KEY_FILE: AUDIT_KEY };
  const child = spawn(process.execPath, [ENTRY, 'dev'], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  reapGroup(child.pid!);
  return child;
}

async function urlOf(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr! });
  for await (const line of lines) {
    said.push(line);
    const [, url] = /listens on (\S+) as /.exec(line) ?? [];
    if (url === undefined) continue;
    child.stderr!.resume();
    return url.replace(/\/$/, '');
  }
  throw new Error(`Backstep did not start: ${said.join('\n')}`);
}

async function flowNames(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter(isFlowFileName);
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.flatMap((text) => parseFlowFile(text).flows.map((flow) => flow.definition.name));
}
