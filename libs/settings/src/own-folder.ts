import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { SettingsError } from './settings.js';

/**
 * Makes the folder that a setting leads to, for this user alone, where it is missing. Throws a
 * `SettingsError` that names the setting where it is no folder, or cannot be made or written.
 */
export function ownFolder(setting: string, folder: string): void {
  try {
    makeFolder(folder);
    // As a folder: a file could be written, too.
    accessSync(`${folder}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOTDIR' ? 'is not a folder' : `is no folder that can be written: ${code}`;
    throw new SettingsError([`${setting}: ${folder} ${reason}`]);
  }
}

/**
 * Makes a folder for this user alone, with those around it. One at a time: where none can be made,
 * as in /proc, Node would try again for ever. Throws as the file system does.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether a file stands where a folder should, or on the way there. */
export function leadsIntoFile(folder: string): boolean {
  try {
    return !statSync(folder).isDirectory();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}
