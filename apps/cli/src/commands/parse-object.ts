import type { JsonObject } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';

/** The JSON object that an option was given. Throws a `CliError` where it is none. */
export function parseObject(text: string, option: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as JsonObject;
    }
  } catch {
    // Said below.
  }
  throw new CliError(EXIT.usage, `--${option} must be a JSON object`);
}
