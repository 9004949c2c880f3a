import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileText, readJson, WrongJson } from '#json';
import type { Json, JsonObject } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Call, listOption, textOptions } from '../tree/call.js';
import { JSON_BYTES_MAX, parseObject, refusal } from './parse-object.js';

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
  // Not assigned one by one: a key may be called `__proto__`.
  return Object.fromEntries([
    ...Object.entries(base),
    ...given.map(([key, text]): [string, Json] => [key, readValue(key, text)]),
  ]);
}

/** `key=value` pairs as an object of texts. */
export function readPairs(pairs: readonly string[], what: string): Record<string, string> {
  return Object.fromEntries(splitPairs(pairs, what));
}

/** The query for tasks by `--query`, `--label` and these options. */
export function taskQuery(call: Call, names: readonly string[]): Readonly<Record<string, string>> {
  const { query: q } = textOptions(call, ['query']);
  const labels = Object.entries(readPairs(listOption(call, 'label'), 'a label'));
  return {
    ...textOptions(call, names),
    ...(q !== undefined && { q }),
    ...Object.fromEntries(labels.map(([key, value]) => [`label.${key}`, value])),
  };
}

/** A whole number of an option; undefined where it was not given. */
export function readNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^-?[0-9]+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new CliError(EXIT.usage, `${option} "${text}": must be a whole number`);
}

/** The number a second of the option `--rate`; undefined where it was not given. */
export function readRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}(\.\d{1,3})?$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, '--rate is a number a second, like 20 or 0.5');
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

/**
 * JSON where it is JSON, else the text. A number alone that JSON would write in another way stays
 * text: it may be a version (`1.10`) or the id of a commit (`1234e56`).
 */
function readValue(key: string, text: string): Json {
  try {
    const value = readJson(text, { bytes: JSON_BYTES_MAX }) as Json;
    return typeof value === 'number' && JSON.stringify(value) !== text.trim() ? text : value;
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    const isNumber = error.code === 'NUMBER_NOT_KEPT' || error.code === 'NUMBER_TOO_LONG';
    if (isNumber ? !/^\s*[[{]/.test(text) : error.isNotJson) return text;
    throw refusal(key, error);
  }
}

async function readInput(input: string, terminal: Terminal): Promise<JsonObject> {
  const { name, text } = await readSource(input, terminal);
  return parseObject(text, name);
}

async function readSource(
  input: string,
  { cwd, readStdin }: Terminal,
): Promise<{ readonly name: string; readonly text: string }> {
  if (input === '-') return { name: 'standard input', text: await readStdin() };
  if (/^\s*[{[]/.test(input)) return { name: 'the text after -i', text: input };
  const file = input.startsWith('@') ? input.slice(1) : input;
  try {
    return { name: file, text: fileText(await readFile(path.resolve(cwd, file))) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${file} cannot be read: ${code}`);
  }
}
