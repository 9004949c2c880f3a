import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Terminal } from './terminal.js';

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

const NPX_FOLDER = /[\\/]node_modules[\\/]\.bin[\\/]?$/;
const FILE = process.platform === 'win32' ? 'backstep.cmd' : 'backstep';

function hasBackstep(folder: string): boolean {
  try {
    accessSync(path.join(folder, FILE), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
