import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { fileText } from '#json';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';

/** A certificate that requests show, and its key, PEM. */
interface ClientCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * The certificate in the file of `BACKSTEP_CLIENT_CERT`, with the key of `BACKSTEP_CLIENT_KEY`;
 * undefined: none is set. Throws a `CliError` where they cannot be used.
 */
export function readClientCertificate({
  cwd,
  env,
}: Pick<Terminal, 'cwd' | 'env'>): ClientCertificate | undefined {
  const { BACKSTEP_CLIENT_CERT: certFile, BACKSTEP_CLIENT_KEY: keyFile } = env;
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) {
    const [missing, given] = certFile ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
    const sentence = `BACKSTEP_CLIENT_${missing} must be set when BACKSTEP_CLIENT_${given} is`;
    throw new CliError(EXIT.usage, sentence);
  }
  const cert = readPem('BACKSTEP_CLIENT_CERT', path.resolve(cwd, certFile));
  const key = readPem('BACKSTEP_CLIENT_KEY', path.resolve(cwd, keyFile));
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { message } = error as Error;
    const both = 'BACKSTEP_CLIENT_CERT and BACKSTEP_CLIENT_KEY cannot be used';
    throw new CliError(EXIT.usage, `${both}: ${message}`);
  }
  return { cert, key };
}

function readPem(variable: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${variable}: ${file} cannot be read: ${code}`);
  }
}

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
