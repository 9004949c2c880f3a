import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { fileText, readJson, WrongJson } from '#json';
import { nearName } from '#wording';
import { OTHER_VARIABLES, SETTINGS, variableOf } from './table.js';

/** Names that Kubernetes and links of Docker make of the name of a service, whatever the value. */
const SERVICE_NAME =
  /^BACKSTEP(?:_[A-Z0-9_]+)?_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR|START|END))?)$/;

/** A name that a person could have meant for a setting; the value tells. */
const PORT = /^BACKSTEP(?:_[A-Z0-9_]+)?_PORT$/;

const SERVICE_PORT_VALUE = /^(?:tcp|udp|sctp):\/\//;

/** `<alias>_NAME=/<container>/<alias>`, and the variables of the linked container behind it. */
const LINK_NAME = /^BACKSTEP(?:_[A-Z0-9_]+)?_NAME$/;

const LINK_VALUE = /^\/[^/]+\/[^/]+$/;
const LINK_VARIABLE = /^(BACKSTEP(?:_[A-Z0-9_]+?)?)_ENV_/;

/** Values from one place, by the keys of settings. */
export interface Source {
  /** As shown: `flag`, `environment` ... */
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Where settings are looked for. */
export interface SettingsInput {
  /** Flags of the command line by key (`governanceInterval`); others are not looked at. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Where the flags come from if not from the command line: `program`. */
  readonly flagSource?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where `.env`, `backstep.config.json` and relative paths start. */
  readonly cwd: string;
  /** Whether these two files count. Default: true. */
  readonly hasFiles?: boolean;
}

/** A file of settings is far smaller. */
const CONFIG_BYTES_MAX = 1_048_576;

/** Name of the file with settings. */
export const CONFIG_FILE = 'backstep.config.json';

/** Name of the source that every user of the machine can read. */
export const COMMAND_LINE = 'flag';

const FILE_SUFFIX = 'File';
const KEYS = Object.entries(SETTINGS).flatMap(([key, { hidden }]) =>
  hidden === undefined ? [key] : [key, key + FILE_SUFFIX],
);
const KEY_OF_VARIABLE = new Map(KEYS.map((key) => [variableOf(key), key]));

/** Where the value of a `<key>File` belongs; undefined where the key is of another kind. */
export function fileKeyOf(key: string): string {
  return key + FILE_SUFFIX;
}

/** All sources, the strongest first. Reports unknown names and unreadable files in `problems`. */
export function readSources(input: SettingsInput, problems: string[]): readonly Source[] {
  const own = [
    { name: input.flagSource ?? COMMAND_LINE, values: flagValues(input.flags ?? {}) },
    variables('environment', input.env ?? {}, problems),
  ];
  if (input.hasFiles === false) return own;
  const dotenv = readText(path.join(input.cwd, '.env'), problems) ?? '';
  return [
    ...own,
    variables('.env', envOf(dotenv, problems), problems),
    readConfigFile(input.cwd, problems),
  ];
}

/** One assignment of a `.env`; a value in quotes may go over several lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`|)[^\n]*$/gm;
const OUR_NAME = /^[ \t]*(?:export[ \t]+)?(BACKSTEP_\w+)/gim;

/**
 * The variables of a `.env`. The parser joins a line that it does not understand and the assignment
 * after it into one strange name, so it only gets assignments.
 */
function envOf(text: string, problems: string[]): NodeJS.Dict<string> {
  for (const [, name] of text.replace(ASSIGNMENT, '').matchAll(OUR_NAME)) {
    problems.push(`${name} (.env): is not set by this line; write ${name?.toUpperCase()}=<value>`);
  }
  return parseEnv((text.match(ASSIGNMENT) ?? []).join('\n'));
}

function flagValues(flags: Readonly<Record<string, unknown>>): Map<string, string> {
  const values = new Map<string, string>();
  for (const key of KEYS) {
    const text = textOf(flags[key]);
    if (text !== undefined) values.set(key, text);
  }
  return values;
}

/** An empty variable counts as not set: that is what deployment files leave behind. */
function variables(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Source {
  const values = new Map<string, string>();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('BACKSTEP_') || OTHER_VARIABLES.test(variable)) continue;
    const key = KEY_OF_VARIABLE.get(variable);
    if (key === undefined) {
      if (isServiceVariable(variable, text ?? '', env)) continue;
      problems.push(unknown(variable, name, [...KEY_OF_VARIABLE.keys()]));
    } else if (text !== undefined && text !== '') values.set(key, text);
  }
  return { name, values };
}

function readConfigFile(cwd: string, problems: string[]): Source {
  const values = new Map<string, string>();
  const text = readText(path.join(cwd, CONFIG_FILE), problems);
  for (const [member, value] of membersOf(text, problems)) {
    if (member === '$schema') continue;
    const written = textOf(value);
    const key = KEY_OF_VARIABLE.get(member) ?? member;
    const problem = (words: string) => problems.push(`${member} (${CONFIG_FILE}): ${words}`);
    if (!KEYS.includes(key)) problems.push(unknown(member, CONFIG_FILE, KEYS));
    else if (written === undefined) problem('must be a plain value');
    else if (values.has(key)) problem(`is there twice: once as ${key}, once as ${variableOf(key)}`);
    else values.set(key, written);
  }
  return { name: CONFIG_FILE, values };
}

function membersOf(text: string | undefined, problems: string[]): [string, unknown][] {
  if (text === undefined) return [];
  try {
    const parsed = readJson(text, { bytes: CONFIG_BYTES_MAX });
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return Object.entries(parsed);
    }
    problems.push(`${CONFIG_FILE}: must hold one object`);
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    problems.push(`${CONFIG_FILE}: ${error.isNotJson ? 'is not JSON: ' : ''}${error.message}`);
  }
  return [];
}

/** A file's text, without the byte order mark of some editors; undefined where there is none. */
function readText(file: string, problems: string[]): string | undefined {
  try {
    return fileText(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push(`${file}: cannot be read: ${code}`);
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function unknown(name: string, source: string, known: readonly string[]): string {
  const near = nearName(name, known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `${name} (${source}): is unknown${hint}`;
}

/**
 * Whether a variable tells of a service or container whose name begins with `backstep`, and not of
 * a setting: Kubernetes gives seven or more of these to each pod beside such a Service, and a link
 * of Docker gives similar ones. No setting has such a name.
 */
export function isServiceVariable(
  name: string,
  value: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (SERVICE_NAME.test(name)) return true;
  if (PORT.test(name)) return SERVICE_PORT_VALUE.test(value);
  if (LINK_NAME.test(name)) return LINK_VALUE.test(value);
  const alias = LINK_VARIABLE.exec(name)?.[1];
  return alias !== undefined && LINK_VALUE.test(env[`${alias}_NAME`] ?? '');
}
