import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { DynamicModule, Type } from '@nestjs/common';
import { textOfThrown } from '#core';
import { stackOf } from '#executor';

/** Where Backstep itself is, compiled or not. */
const OWN = import.meta.dirname.replace(/([\\/]dist)?[\\/]libs[\\/]process[\\/]src$/, '');

/** A file that was named as one with executors and is none; the message is for who named it. */
export class ExecutorsError extends Error {
  override readonly name = 'ExecutorsError';

  /** Where the code of the file threw; undefined: it did not. */
  get place(): string | undefined {
    return authorStack(this.cause);
  }
}

/**
 * The Nest modules that a compiled file exports by default: one, or a list of them. Throws an
 * `ExecutorsError` where there are none, or where the file cannot be loaded.
 */
export async function loadExecutors(file: string): Promise<readonly (Type | DynamicModule)[]> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new ExecutorsError(`there is no file ${file}`);
  const { default: given } = await load(file);
  const modules: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (modules.length > 0 && modules.every(isNestModule)) return modules;
  const wanted = 'must export a Nest module by default, or a list of them';
  throw new ExecutorsError(`${file} ${wanted}: export default StockModule`);
}

async function load(file: string): Promise<{ readonly default?: unknown }> {
  // Stack traces then name the lines that the author wrote.
  process.setSourceMapsEnabled(true);
  try {
    return (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  } catch (error) {
    const message = `${file} cannot be loaded: ${textOfThrown(error)}`;
    throw new ExecutorsError(message, { cause: error });
  }
}

/** By shape: the module may be of another copy of Nest than the one that runs it. */
function isNestModule(value: unknown): value is Type | DynamicModule {
  if (typeof value === 'function') return MEMBERS.some((name) => Reflect.hasMetadata(name, value));
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as DynamicModule).module === 'function';
}

/** The metadata keys that `@Module` sets on a class. */
const MEMBERS = ['controllers', 'imports', 'providers', 'exports'];

/**
 * Where an error came from that the code of an author threw, outside of any command; undefined for
 * any other: its message says what to do.
 */
export function authorStack(error: unknown): string | undefined {
  const stack = stackOf(error, { isMeant: false });
  return stack?.split('\n').some(isOfAuthor) === true ? stack : undefined;
}

function isOfAuthor(line: string): boolean {
  if (!/^\s+at /.test(line) || /[\\/]node_modules[\\/]|node:/.test(line)) return false;
  return /[\\/]/.test(line) && !line.includes(OWN);
}
