import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '#core';
import type { KnownCommands } from '#flow-files';
import { readJson } from '#json';
import type { ProcessParts } from '#process';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';

/** The files that `--executors` names, as absolute paths. */
export function executorFiles({ terminal }: Session, { options }: Call): readonly string[] {
  const files = (options['executors'] ?? []) as readonly string[];
  return files.map((file) => path.resolve(terminal.cwd, file));
}

/**
 * Name and version of the package that the first of these files belongs to, which tell its build
 * where no setting does; undefined: none says both.
 */
export async function packageOf([file]: readonly string[]): Promise<string | undefined> {
  return file === undefined ? undefined : packageAround(path.dirname(file));
}

async function packageAround(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return nameIn(text);
  const around = path.dirname(folder);
  return around === folder ? undefined : packageAround(around);
}

function nameIn(text: string): string | undefined {
  try {
    const { name, version } = readJson(text, { bytes: PACKAGE_BYTES }) as JsonObject;
    return typeof name === 'string' && typeof version === 'string'
      ? `${name}@${version}`
      : undefined;
  } catch {
    return undefined;
  }
}

/** More than any package.json has. */
const PACKAGE_BYTES = 1_048_576;

/** The Nest modules of these files. Throws a `CliError` where one has none. */
export async function ownModules(files: readonly string[]): Promise<ProcessParts['modules']> {
  const { ExecutorsError, loadExecutors } = await import('#process');
  try {
    return (await Promise.all(files.map(loadExecutors))).flat();
  } catch (error) {
    if (!(error instanceof ExecutorsError)) throw error;
    throw new CliError(EXIT.usage, error.message, error.place);
  }
}

/**
 * The commands of Backstep's own executors and of those that `--executors` names, with the
 * parameters that they take. There may be others. Throws a `CliError` where a file has none.
 */
export async function commandsHere(session: Session, call: Call): Promise<KnownCommands> {
  const [{ declaredCommands }, { knownCommandsOf }, { BUILT_IN_EXECUTORS }, own] =
    await Promise.all([
      import('#executor'),
      import('#flow-files'),
      import('./built-in-executors.js'),
      ownModules(executorFiles(session, call)),
    ]);
  // Own executors come first: one may take the place of a built-in one.
  const declared = declaredCommands([...own, ...BUILT_IN_EXECUTORS]);
  return { ...knownCommandsOf(declared), hasOthers: true };
}
