import { readFileSync } from 'node:fs';
import path from 'node:path';
import { hasPassword, maskText } from './mask.js';
import { isLocal, takes } from './parsers.js';
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
  for (const [key, entry] of Object.entries(SETTINGS) as [string, SettingEntry][]) {
    const known: Fallbacks = { mode: options.mode, settings };
    const written = findWritten(key, { sources, options, problems }) ?? fallbackOf(entry, known);
    settings[key] = valueOf(key, { written, options, problems });
    if (isSeenByOthers(entry, written)) warnings.push(`${variableOf(key)} ${SEEN_BY_OTHERS}`);
    const value = maskText(written.text ?? '', entry.hidden);
    rows.push({ name: variableOf(key), value, source: written.source, meaning: entry.meaning });
  }
  problems.push(...contradictionsIn(settings));
  if (problems.length > 0) throw new SettingsError(problems);
  const loaded = Object.freeze(settings) as unknown as Settings;
  aboutOf.set(loaded, { rows, warnings });
  return loaded;
}

const SEEN_BY_OTHERS =
  'is given as a flag and holds a secret: every user of this machine sees it in the list of ' +
  'processes. Use the variable, or its _FILE';

function isSeenByOthers({ hidden }: SettingEntry, { source, text }: Written): boolean {
  if (hidden === undefined || source !== COMMAND_LINE || text === null) return false;
  return hidden === 'secret' || hasPassword(text);
}

/** Settings that are right by themselves and wrong together. A wrong one by itself is undefined. */
function contradictionsIn(settings: Partial<Settings>): string[] {
  const problems: string[] = [];
  const { http, mysqlProvider, mysqlUrl, maxParameters, maxTask, tlsCert, tlsKey } = settings;
  problems.push(...wrongAccess(settings), ...wrongIssuer(settings), ...wrongVault(settings));
  if (mysqlProvider === 'server' && mysqlUrl === null) {
    problems.push('BACKSTEP_MYSQL_URL: must be set when BACKSTEP_MYSQL_PROVIDER is server');
  }
  if (settings.archive && settings.retention === null) {
    problems.push('BACKSTEP_ARCHIVE: nothing is written there unless BACKSTEP_RETENTION is set');
  }
  if (tlsCert !== undefined && tlsKey !== undefined && (tlsCert === null) !== (tlsKey === null)) {
    const [missing, given] = tlsKey === null ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
    problems.push(`BACKSTEP_TLS_${missing}: must be set when BACKSTEP_TLS_${given} is`);
  }
  if (http !== undefined && 'socket' in http && tlsCert) {
    problems.push('BACKSTEP_TLS_CERT: is of no use on a Unix socket, which speaks plain HTTP');
  }
  if (maxParameters !== undefined && maxTask !== undefined && maxTask < maxParameters) {
    problems.push('BACKSTEP_MAX_TASK: must not be less than BACKSTEP_MAX_PARAMETERS');
  }
  return problems;
}

/** Requests that nobody is asked about must be of this machine, and of one person. */
function wrongAccess({ approvals, auth, http }: Partial<Settings>): string[] {
  const problems: string[] = [];
  if (auth === null && http !== undefined && 'host' in http && !isLocal(http)) {
    problems.push(
      `BACKSTEP_HTTP: ${http.host} is reached beyond loopback, where everybody could do ` +
        'everything. Write BACKSTEP_AUTH=keys and make a key (backstep key create <name> --admin), ' +
        'write BACKSTEP_AUTH=oidc and name the issuer, listen on 127.0.0.1, or write BACKSTEP_AUTH=off and let only a proxy that authenticates ' +
        'people reach it',
    );
  }
  if (auth === 'token' && http !== undefined && !isLocal(http)) {
    problems.push(
      'BACKSTEP_AUTH: token is for this machine alone, and BACKSTEP_HTTP is reached beyond it. Write ' +
        'keys or oidc, or listen on 127.0.0.1',
    );
  }
  if (approvals && (auth === null || auth === 'off' || auth === 'token')) {
    problems.push(
      `BACKSTEP_APPROVALS: with BACKSTEP_AUTH ${auth ?? 'off'} nobody knows two people apart. Write ` +
        'BACKSTEP_AUTH=keys or oidc',
    );
  }
  return problems;
}

/** An issuer is of use where its tokens are taken, and needed there. */
function wrongIssuer(settings: Partial<Settings>): string[] {
  const { auth, oidcAudience, oidcGrants, oidcIssuer } = settings;
  if (auth === undefined) return [];
  const parts = { ISSUER: oidcIssuer, AUDIENCE: oidcAudience };
  if (takes(auth, 'oidc')) {
    const missing = Object.entries(parts).filter(([, value]) => value === null);
    return [
      ...missing.map(([name]) => `BACKSTEP_OIDC_${name}: must be set when BACKSTEP_AUTH has oidc`),
      ...wrongClient(settings),
    ];
  }
  const { oidcClient: CLIENT, oidcClientSecret: CLIENT_SECRET } = settings;
  const all = { ...parts, GRANTS: oidcGrants, CLIENT, CLIENT_SECRET };
  const idle = Object.entries(all).filter(([, value]) => value);
  return idle.map(([name]) => `BACKSTEP_OIDC_${name}: is of use only with oidc in BACKSTEP_AUTH`);
}

/** Vault takes nobody without a token. */
function wrongVault({ vaultTokenFile, vaultUrl }: Partial<Settings>): string[] {
  if (vaultUrl === undefined || vaultTokenFile === undefined) return [];
  if ((vaultUrl === null) === (vaultTokenFile === null)) return [];
  const [missing, given] = vaultUrl === null ? ['URL', 'TOKEN_FILE'] : ['TOKEN_FILE', 'URL'];
  return [`BACKSTEP_VAULT_${missing}: must be set when BACKSTEP_VAULT_${given} is`];
}

/** People sign in to a client that has a secret. */
function wrongClient({ oidcClient, oidcClientSecret }: Partial<Settings>): string[] {
  if (oidcClient === undefined || oidcClientSecret === undefined) return [];
  if ((oidcClient === null) === (oidcClientSecret === null)) return [];
  const [missing, given] =
    oidcClient === null ? ['CLIENT', 'CLIENT_SECRET'] : ['CLIENT_SECRET', 'CLIENT'];
  return [`BACKSTEP_OIDC_${missing}: must be set when BACKSTEP_OIDC_${given} is`];
}

/** One row per setting, in the order of the table, with nothing in it that must stay secret. */
export function printSettings(settings: Settings): readonly SettingRow[] {
  return aboutOf.get(settings)?.rows ?? [];
}

/**
 * Warnings about access without authentication; empty on loopback. A listener beyond loopback
 * without authentication is allowed only where `BACKSTEP_AUTH=off` is written.
 */
export function accessNotes({ auth, http }: Pick<Settings, 'auth' | 'http'>): readonly string[] {
  if (auth !== 'off' || 'socket' in http || isLocal(http)) return [];
  return [
    `BACKSTEP_AUTH is off and ${http.host} is reached beyond loopback: whoever reaches it may do ` +
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
      problems.push(`${variable} (${name}): is set twice, as ${variable}_FILE as well`);
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
    const text = readFileSync(file, 'utf8').trim();
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
