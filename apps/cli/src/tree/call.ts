import type { Command } from 'commander';
import { parseDuration } from '#wording';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';

/** The arguments and options of one command, as written on the command line. */
export interface Call {
  readonly args: readonly (string | readonly string[] | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
  /** The whole tree, for what is generated from it. */
  readonly root: Command;
}

/** Carries out a command. Resolves to its exit code; nothing: it is done. */
export type Action = (session: Session, call: Call) => Promise<ExitCode | void>;

/** Binds a command to what carries it out, which is loaded when it is called. */
export type Bind = (command: Command, load: () => Promise<Action>) => void;

/** Output formats of `draw`; `-o` takes them for that command alone. */
export const DRAWINGS: ReadonlySet<string> = new Set(['mermaid', 'dot', 'svg']);

/** The command by which scripts of `completion` ask for words; people do not need it. */
export const WORDS_COMMAND = 'completion-words';

/** One text argument; commander has seen to it that it is there. */
export function textArg({ args }: Call, index: number): string {
  const text = String(args[index]);
  if (text !== '') return text;
  throw new CliError(EXIT.usage, 'an argument is empty', 'Perhaps a variable has no value.');
}

/** All that is left of the arguments. */
export function restArgs({ args }: Call): readonly string[] {
  const last = args.at(-1);
  return typeof last === 'object' ? last : [];
}

/**
 * The flow files that are named; a pattern names the test files beside them too, which are left
 * out. Throws a `CliError` where nothing else is named.
 */
export function flowFiles(call: Call): readonly string[] {
  const named = restArgs(call);
  const files = named.filter((file) => !/\.test\.jsonc?$/.test(file));
  if (files.length > 0) return files;
  const hint = 'Name the file of the flow; the test file beside it is found by itself.';
  throw new CliError(EXIT.usage, `there is no flow in ${named.join(', ')}`, hint);
}

/** An option's text; undefined where it was not given. */
export function textOption({ options }: Call, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of those of these options that were given, by their names. */
export function textOptions<const Name extends string>(
  call: Call,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const given = names.map((name) => [name, textOption(call, name)] as const);
  const known = given.filter(([, text]) => text !== undefined);
  return Object.fromEntries(known) as Partial<Record<Name, string>>;
}

/** Says of a command that opens the store itself, if it was given `--url`, that this is ignored. */
export function sayIgnoredUrl(session: Session, { root }: Call, why: string): void {
  if (root.getOptionValueSource('url') === 'cli') session.say(`--url has no effect: ${why}.`);
}

/** A duration as an option has it, in milliseconds. Throws a `CliError` that names the option. */
export function readDuration(text: string, option: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new CliError(EXIT.usage, `${option} "${text}": ${(error as Error).message}`);
  }
}

/** An option that may be given several times. */
export function listOption({ options }: Call, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** For `Option.argParser` of such options. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
