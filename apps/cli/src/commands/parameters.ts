import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';

/** Where parameters come from: `-i` first, then `key=value` over it. */
interface WrittenParameters {
  readonly input: string | undefined;
  readonly pairs: readonly string[];
}

/** The parameters of a request; undefined where none were written. */
export async function readParameters(
  { input, pairs }: WrittenParameters,
  terminal: Terminal,
): Promise<JsonObject | undefined> {
  if (input === undefined && pairs.length === 0) return undefined;
  const base = input === undefined ? {} : await readInput(input, terminal);
  const given = splitPairs(pairs, 'a parameter');
  for (const [key, text] of given) {
    if (typeof readValue(text) === 'object') await refuseLossy(key, text);
  }
  // Not assigned one by one: a key may be called `__proto__`.
  return Object.fromEntries([
    ...Object.entries(base),
    ...given.map(([key, text]): [string, unknown] => [key, readValue(text)]),
  ]);
}

/** `key=value` pairs as an object of texts. */
export function readPairs(pairs: readonly string[], what: string): Record<string, string> {
  return Object.fromEntries(splitPairs(pairs, what));
}

/** A whole number of an option; undefined where it was not given. */
export function readNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^-?[0-9]+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new CliError(EXIT.usage, `${option} "${text}": must be a whole number`);
}

function splitPairs(pairs: readonly string[], what: string): [string, string][] {
  const split = pairs.map((pair) => splitPair(pair, what));
  const keys = split.map(([key]) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice === undefined) return split;
  throw new CliError(EXIT.usage, `"${twice}" is there twice: write it once`);
}

function splitPair(pair: string, what: string): [string, string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new CliError(EXIT.usage, `"${pair}" is not ${what}: write key=value`);
}

/** JSON where it is JSON, else the text. A number that JSON cannot keep exactly stays text. */
function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const isInexact = /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(value);
    return isInexact ? text : value;
  } catch {
    return text;
  }
}

async function readInput(input: string, terminal: Terminal): Promise<object> {
  const { name, text } = await readSource(input, terminal);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError(EXIT.usage, `${name} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CliError(EXIT.usage, `${name} must hold one JSON object: the parameters`);
  }
  await refuseLossy(name, text);
  return value;
}

/** Refuses what `JSON.parse` drops or rounds silently; the server does not see it any more. */
async function refuseLossy(name: string, text: string): Promise<void> {
  // Loading it takes a while, and most tasks are started without.
  const { readJson } = await import('#flow-files');
  const reading = readJson(text);
  const [first] = reading.kind === 'read' ? reading.document.findings : [];
  if (first === undefined) return;
  throw new CliError(EXIT.usage, `${name}: ${first.pointer}: ${first.message}`, first.hint);
}

async function readSource(
  input: string,
  { cwd, readStdin }: Terminal,
): Promise<{ readonly name: string; readonly text: string }> {
  if (input === '-') return { name: 'standard input', text: unmarked(await readStdin()) };
  if (/^\s*[{[]/.test(input)) return { name: 'the text after -i', text: input };
  const file = input.startsWith('@') ? input.slice(1) : input;
  try {
    return { name: file, text: unmarked(await readFile(path.resolve(cwd, file), 'utf8')) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${file} cannot be read: ${code}`);
  }
}

/** Without the byte order mark that some editors and shells begin a text with. */
function unmarked(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
