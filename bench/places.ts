import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, from what was built. */
export const REPOSITORY = findRoot(path.dirname(fileURLToPath(import.meta.url)));

/** The folder of the flows that are measured. */
export const FLOWS = path.join(REPOSITORY, 'bench', 'flows');

/** The folder of everything that is kept from run to run. */
export const CACHE = path.join(
  process.env['BACKSTEP_CACHE'] || path.join(homedir(), '.cache', 'backstep'),
  'bench',
);

/** The built file of a program that runs in a process of its own. */
export function programFile(name: string): string {
  return path.join(REPOSITORY, 'dist', 'bench', `${name}.js`);
}

function findRoot(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : findRoot(path.dirname(folder));
}
