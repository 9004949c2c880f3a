import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** The folder in which a machine keeps the servers and tools that tests use. */
export function cacheFolder(): string {
  return process.env['BACKSTEP_CACHE'] || path.join(homedir(), '.cache', 'backstep');
}

/**
 * Where `.ci/install-tools` has installed what these lists name, files with their full paths; null:
 * it has not, or the lists are others by now.
 */
export function installedTools(name: string, lists: readonly string[]): string | null {
  const hash = createHash('sha256');
  for (const list of lists) hash.update(readFileSync(list));
  const home = path.join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 12)}`);
  return existsSync(path.join(home, 'done')) ? home : null;
}
