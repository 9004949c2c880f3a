import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileText } from '#json';
import { clearTextIn, refusalOf, warningOf } from './clear-text.js';
import { contradictionsIn } from './contradictions.js';
import { subjectWarnings } from './oidc-client.js';
import { isLocal } from './parsers.js';
import { hasPassword, maskText } from './mask.js';
import {
  COMMAND_LINE,
  fileKeyOf,
  readSources,
  type SettingsInput,
  type Source,
} from './sources.js';
import { type Mode, type SettingRow, type Settings, SettingsError } from './settings.js';
import type { Fallbacks, SettingEntry } from './setting-entry.js';
import { SETTINGS, variableOf } from './table.js';

/** Where settings are looked for, and what the process is for. */
export interface LoadOptions extends SettingsInput {
  readonly mode: Mode;
  /** For showing them alone: what no process may send is a warning. Default: false. */
  readonly isForShow?: boolean;
}

/** The text that was written for one setting, and its source. */
interface Written {
  readonly text: string | null;
  readonly source: string;
}

interface About {
  readonly rows: readonly SettingRow[];
  readonly warnings: readonly string[];
}

const aboutOf = new WeakMap<Settings, About>();

/**
 * Reads all settings: flag, then environment, `.env`, `backstep.config.json`, default. Throws a
 * `SettingsError` that lists everything that is wrong or unknown.
 */
export function loadSettings(options: LoadOptions): Settings {
  const problems: string[] = [];
  const sources = readSources(options, problems);
  const settings: Record<string, unknown> = {};
  const rows: SettingRow[] = [];
  const warnings: string[] = [];
  const known: Fallbacks = { mode: options.mode, settings, home: homeOf(sources, options) };
  for (const [key, entry] of Object.entries(SETTINGS) as [string, SettingEntry][]) {
    const written = findWritten(key, { sources, options, problems }) ?? fallbackOf(entry, known);
    settings[key] = valueOf(key, { written, options, problems });
    if (isSeenByOthers(entry, written)) warnings.push(`${variableOf(key)} ${SEEN_BY_OTHERS}`);
    const value = maskText(written.text ?? '', entry.hidden);
    rows.push({ name: variableOf(key), value, source: written.source, meaning: entry.meaning });
  }
  problems.push(...contradictionsIn(settings));
  const clear = clearTextIn(settings);
  if (settings['insecure'] === true) warnings.push(...clear.map(warningOf));
  else (options.isForShow === true ? warnings : problems).push(...clear.map(refusalOf));
  if (problems.length > 0) throw new SettingsError(problems);
  const loaded = Object.freeze(settings) as unknown as Settings;
  aboutOf.set(loaded, { rows, warnings: [...warnings, ...subjectWarnings(loaded)] });
  return loaded;
}

/** The folder of `BACKSTEP_DATA`, else the first that systemd has made for the service. */
function homeOf(sources: readonly Source[], { env }: LoadOptions): string {
  const written = sources.find(({ values }) => values.has('data'))?.values.get('data');
  const [state] = (env?.['STATE_DIRECTORY'] ?? '').split(':');
  return written ?? (state || './.backstep');
}

const SEEN_BY_OTHERS =
  'is given as a flag and holds a secret: every user of this machine sees it in the list of ' +
  'processes. Use the variable, or its _FILE';

function isSeenByOthers({ hidden }: SettingEntry, { source, text }: Written): boolean {
  if (hidden === undefined || source !== COMMAND_LINE || text === null) return false;
  return hidden === 'secret' || hasPassword(text);
}

/** One row per setting, in the order of the table, with nothing in it that must stay secret. */
export function printSettings(settings: Settings): readonly SettingRow[] {
  return aboutOf.get(settings)?.rows ?? [];
}

/** Whether a setting is written somewhere; where it is not, its value follows from defaults. */
export function isWritten(settings: Settings, variable: string): boolean {
  const row = printSettings(settings).find(({ name }) => name === variable);
  return row !== undefined && row.source !== 'default';
}

/**
 * Warnings about access without authentication; empty on loopback. A listener beyond loopback
 * without authentication is allowed only where `BACKSTEP_AUTH=off` is written.
 */
export function accessNotes({ auth, http }: Pick<Settings, 'auth' | 'http'>): readonly string[] {
  if (auth !== 'off' || 'socket' in http || isLocal(http)) return [];
  return [
    `BACKSTEP_AUTH is off and ${http.host} is reached beyond loopback: every client may do ` +
      'everything',
  ];
}

/** Warnings about settings that work and should be changed: a sentence each, without secrets. */
export function settingWarnings(settings: Settings): readonly string[] {
  return aboutOf.get(settings)?.warnings ?? [];
}

interface Reading {
  readonly sources: readonly Source[];
  readonly options: LoadOptions;
  readonly problems: string[];
}

function findWritten(key: string, { sources, options, problems }: Reading): Written | undefined {
  for (const { name, values } of sources) {
    const text = values.get(key);
    const file = values.get(fileKeyOf(key));
    if (text !== undefined && file !== undefined) {
      const variable = variableOf(key);
      problems.push(`${variable} (${name}): is set twice: also as ${variable}_FILE`);
    }
    if (text !== undefined) return { text, source: name };
    if (file !== undefined)
      return readSecret(key, { file: path.resolve(options.cwd, file), problems });
  }
  return undefined;
}

function readSecret(
  key: string,
  { file, problems }: { readonly file: string; readonly problems: string[] },
): Written {
  try {
    const text = fileText(readFileSync(file)).trim();
    if (text === '') problems.push(`${variableOf(key)}_FILE: ${file} is empty`);
    return { text: text === '' ? null : text, source: file };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`${variableOf(key)}_FILE: ${file} cannot be read: ${code}`);
    return { text: null, source: file };
  }
}

function fallbackOf({ fallback }: SettingEntry, known: Fallbacks): Written {
  const text = typeof fallback === 'function' ? fallback(known) : fallback;
  return { text, source: 'default' };
}

function valueOf(
  key: string,
  { written, options, problems }: Omit<Reading, 'sources'> & { readonly written: Written },
): unknown {
  const { text, source } = written;
  const entry: SettingEntry = SETTINGS[key as keyof Settings];
  if (text === null) return null;
  try {
    return entry.parse(text, options.cwd);
  } catch (error) {
    const shown = entry.hidden === undefined ? `"${text}": ` : '';
    problems.push(`${variableOf(key)} (${source}): ${shown}${(error as Error).message}`);
    return undefined;
  }
}
