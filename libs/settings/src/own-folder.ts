import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { SettingsError } from './settings.js';

/**
 * Makes the folder that a setting leads to, for this user alone, where it is missing. Throws a
 * `SettingsError` that names the setting where it is no folder, or cannot be made or written.
 */
export function ownFolder(setting: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOther = code === 'EEXIST' || code === 'ENOTDIR';
    const reason = isOther ? 'is not a folder' : `is no folder that can be written: ${code}`;
    throw new SettingsError([`${setting}: ${folder} ${reason}`]);
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
