import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';

/** A program and its arguments. */
export interface Program {
  /** An absolute path. */
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The program that a command line names: a path, or a name that is looked for in the folders of
 * `PATH`. Throws a `CliError` where there is none that may be run: better now than at each action.
 */
export async function findProgram(
  [name = '', ...args]: readonly string[],
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<Program> {
  const folders = name.includes('/') ? [''] : (env['PATH'] ?? '').split(path.delimiter);
  for (const folder of folders) {
    const file = path.resolve(cwd, folder, name);
    if (await mayRun(file)) return { file, args };
  }
  const hint = 'Is it there, and may it be executed (chmod +x)?';
  throw new CliError(EXIT.usage, `${name} is no program that can be run`, hint);
}

async function mayRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
