import { SETTINGS } from '#settings';
import type { SettingFlag } from './process-tree.js';

/** Every setting as a flag, secrets also as the file they stand in. */
export function settingFlags(): readonly SettingFlag[] {
  return Object.entries(SETTINGS).flatMap(([key, { hidden, meaning }]) => {
    const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flag = { flags: `--${name} <value>`, meaning };
    if (hidden === undefined) return [flag];
    return [flag, { flags: `--${name}-file <path>`, meaning: `file that holds --${name}` }];
  });
}
