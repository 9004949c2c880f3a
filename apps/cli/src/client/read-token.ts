import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileText } from '#json';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';

/**
 * The API key or token of `BACKSTEP_TOKEN`, or in the file of `BACKSTEP_TOKEN_FILE`; undefined:
 * there is none. Throws a `CliError` for what cannot be one.
 */
export function readToken({ cwd, env }: Pick<Terminal, 'cwd' | 'env'>): string | undefined {
  const { BACKSTEP_TOKEN: text, BACKSTEP_TOKEN_FILE: file } = env;
  if (text && file) {
    throw new CliError(EXIT.usage, 'BACKSTEP_TOKEN is set twice: also as BACKSTEP_TOKEN_FILE');
  }
  const token = file ? readFile(path.resolve(cwd, file)) : text?.trim();
  if (!token) return undefined;
  if (/^[\w.~+/=-]+$/.test(token)) return token;
  throw new CliError(EXIT.usage, 'BACKSTEP_TOKEN is neither an API key nor a token');
}

function readFile(file: string): string {
  try {
    return fileText(readFileSync(file)).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `BACKSTEP_TOKEN_FILE: ${file} cannot be read: ${code}`);
  }
}
