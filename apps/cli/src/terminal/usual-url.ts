import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Terminal } from './terminal.js';

const NPX_FOLDER = /[\\/]node_modules[\\/]\.bin[\\/]?$/;
const FILE = process.platform === 'win32' ? 'backstep.cmd' : 'backstep';

/** Where Backstep is looked for when no option says otherwise. */
export function usualUrl(env: Terminal['env']): string {
  return env['BACKSTEP_URL'] || urlOfListener(env) || 'http://127.0.0.1:7070';
}

/** Where a process with these variables listens; undefined: they do not say, or any free port. */
function urlOfListener(env: Terminal['env']): string | undefined {
  const listener = env['BACKSTEP_HTTP'] ?? '';
  if (listener.startsWith('unix:')) return listener;
  const [, host = '127.0.0.1', port] =
    /^(?:(\[[^\]]+\]|[^:/\s]+)?:)?([1-9]\d{0,4})$/.exec(listener) ?? [];
  if (port === undefined) return undefined;
  const scheme = env['BACKSTEP_TLS_CERT'] ? 'https' : 'http';
  return `${scheme}://${LOOPBACK_OF.get(host) ?? host}:${port}`;
}

/** Addresses that stand for every address of a machine, and how this machine reaches itself. */
const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

/**
 * The words that start this command line, as a person types them: `backstep` where a shell finds
 * it, else by npx, which has its own folders on the path of what it runs.
 */
export function commandName({ PATH = '' }: Terminal['env']): string {
  const folders = PATH.split(path.delimiter).filter((folder) => {
    return path.isAbsolute(folder) && !NPX_FOLDER.test(folder);
  });
  return folders.some(hasBackstep) ? 'backstep' : 'npx backstep';
}

function hasBackstep(folder: string): boolean {
  try {
    accessSync(path.join(folder, FILE), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
