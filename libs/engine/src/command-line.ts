import { type JsonObject, readStoredJson, textOfThrown } from '#core';
import type { CommandLine, LineDetails, LineLevel } from '#ports';
import type { OpenedSecrets } from './opened-secrets.js';

/** A longer text of a command is cut, in characters. */
const LENGTH_MAX = 16_384;

/** The level that a command asked for. Never throws. */
export function levelOf(details: LineDetails | undefined): LineLevel {
  try {
    return details?.level ?? 'info';
  } catch {
    return 'info';
  }
}

/**
 * A line as a command asked for it, which may have given anything. `opened` masks the secrets of
 * its attempt; null: it has none. Never throws.
 */
export function lineOf(
  message: string,
  details: LineDetails | undefined,
  opened: Pick<OpenedSecrets, 'masked' | 'maskedObject'> | null,
): CommandLine {
  const level = levelOf(details);
  const text = typeof message === 'string' ? message : textOfThrown(message);
  const facts = jsonOf(details);
  if (opened === null) return { level, message: cut(text), details: facts };
  return { level, message: cut(opened.masked(text)), details: opened.maskedObject(facts) };
}

function cut(text: string): string {
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX - 1)}…` : text;
}

/** The details as JSON makes them; where it cannot, or would be too long, a word of why. */
function jsonOf(details: LineDetails | undefined): JsonObject {
  try {
    const { level: _, ...facts } = details ?? {};
    const json = JSON.stringify(facts, (_, value: unknown) => {
      return value instanceof Error ? (value.stack ?? value.message) : value;
    });
    if (json.length > LENGTH_MAX) return { left_out: `${json.length} characters of details` };
    return readStoredJson(json, 'details') as JsonObject;
  } catch (error) {
    return { left_out: textOfThrown(error) };
  }
}
