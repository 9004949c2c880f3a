import { UnusableFile } from '#workshop/flow-test';
import { CliError, EXIT } from '../exit.js';

/** Rethrows an error: a file that cannot be used is wrong usage of the command that names it. */
export function asUsage(error: unknown): never {
  throw error instanceof UnusableFile ? new CliError(EXIT.usage, error.message) : error;
}
