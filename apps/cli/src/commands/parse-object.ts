import { readJson, WrongJson } from '#json';
import type { JsonObject } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';

/** More than any server takes. */
export const JSON_BYTES_MAX = 64 * 1024 * 1024;

/** The JSON object of a text that a person gave under a name. Throws a `CliError`. */
export function parseObject(text: string, name: string): JsonObject {
  let value: unknown;
  try {
    value = readJson(text, { bytes: JSON_BYTES_MAX });
  } catch (error) {
    throw error instanceof WrongJson ? refusal(name, error) : error;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw new CliError(EXIT.usage, `${name} must be a JSON object`);
}

/** The error of a text that a person gave. */
export function refusal(name: string, { hint, isNotJson, message }: WrongJson): CliError {
  const sentence = isNotJson ? `${name} is not JSON: ${message}` : `${name}: ${message}`;
  return new CliError(EXIT.usage, sentence, hint ?? undefined);
}
