import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { installedTools } from '../servers/tool-cache.js';
import { REPOSITORY } from '../stack/index.js';

const run = promisify(execFile);

/** The versions of Python that the client is for, by their minor numbers. */
const MINORS = [9, 10, 11, 12, 13, 14, 15];
const SAY = 'import sys; print(*sys.version_info[:2])';

/** A Python of this machine. */
export interface Python {
  /** Such as `3.12`. */
  readonly version: string;
  readonly program: string;
}

/** One Python of each version that the machine has, on its PATH or kept by pyenv; oldest first. */
export async function findPythons(): Promise<readonly Python[]> {
  const root = process.env['PYENV_ROOT'] ?? path.join(homedir(), '.pyenv');
  const kept = await readdir(path.join(root, 'versions')).catch(() => []);
  const programs = [
    'python3',
    ...MINORS.map((minor) => `python3.${minor}`),
    ...kept.map((name) => path.join(root, 'versions', name, 'bin/python')),
  ];
  const found = new Map<string, string>();
  for (const program of programs) {
    const said = await run(program, ['-c', SAY]).catch(() => null);
    const [major, minor] = (said?.stdout ?? '').trim().split(' ').map(Number);
    const isMeant = major === 3 && MINORS.includes(minor!);
    if (isMeant && !found.has(`3.${minor}`)) found.set(`3.${minor}`, program);
  }
  const all = [...found].map(([version, program]) => ({ version, program }));
  return all.sort((one, other) => minorOf(one) - minorOf(other));
}

/** The folder with the programs that build and check the client; null: they are not installed. */
export function findPythonTools(): string | null {
  const home = installedTools('client-python', [
    path.join(REPOSITORY, 'test/clients/python-tools.txt'),
  ]);
  return home === null ? null : path.join(home, 'python/bin');
}

function minorOf({ version }: Python): number {
  return Number(version.split('.')[1]);
}
