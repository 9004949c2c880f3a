import { type SettingEntry, SETTINGS } from '#settings';
import type { SettingFlag } from './process-tree.js';

/** Every setting as a flag, secrets also as the file they stand in. */
export function settingFlags(): readonly SettingFlag[] {
  return Object.entries<SettingEntry>(SETTINGS).flatMap(([key, entry]) => {
    const { hidden, meaning } = entry;
    const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flag = { flags: `--${name} <value>`, meaning: meaning + valuesOf(entry) };
    if (hidden === undefined) return [flag];
    return [flag, { flags: `--${name}-file <path>`, meaning: `file that holds --${name}` }];
  });
}

/** The words that a setting takes, and its default, as help shows those of other options. */
function valuesOf({ depends, fallback, parse }: SettingEntry): string {
  const { choices } = parse;
  const usual = depends?.replaceAll('`', '') ?? (typeof fallback === 'string' ? fallback : null);
  const known = [
    ...(choices === undefined ? [] : [`choices: ${choices.join(', ')}`]),
    ...(usual === null ? [] : [`default: ${usual}`]),
  ];
  return known.length === 0 ? '' : ` (${known.join('; ')})`;
}
