import { cutText, type JsonObject, textOfThrown } from '#core';
import { readStoredJson } from '#core/json';
import type { CommandLine, LineDetails, LineLevel, Progress } from '#ports';
import type { OpenedSecrets } from './opened-secrets.js';

const LEVELS: ReadonlySet<LineLevel> = new Set(['info', 'warn', 'error']);

/** A longer text of a command is cut, in characters. */
const LENGTH_MAX = 16_384;

/** The same of what it says of its progress. */
const PROGRESS_LENGTH_MAX = 500;

/** The same of a state that it names, and what no state has. */
const STATE_LENGTH_MAX = 64;
const NOT_OF_STATES = /[^A-Za-z0-9._-]/g;

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
  opened: Pick<OpenedSecrets, 'maskedAll' | 'maskedObject'> | null,
): CommandLine {
  const level = levelOf(details);
  const text = typeof message === 'string' ? message : textOfThrown(message);
  const facts = jsonOf(details);
  if (opened === null) return { level, message: cutText(text, LENGTH_MAX), details: facts };
  const texts = Object.entries(facts).flatMap(([name, fact]) => {
    return typeof fact === 'string' ? [[name, fact] as const] : [];
  });
  const [masked = '', ...rest] = opened.maskedAll([text, ...texts.map(([, fact]) => fact)]);
  const parts = Object.fromEntries(texts.map(([name], n) => [name, rest[n] ?? '']));
  const shown = opened.maskedObject({ ...facts, ...parts });
  return { level, message: cutText(masked, LENGTH_MAX), details: shown };
}

/** Whether lines of this level are kept with their attempt, whatever the log takes. */
export function isKept(level: LineLevel): boolean {
  return LEVELS.has(level);
}

/** A line and its details as one text, which is kept with the attempt. */
export function textOfLine({ details, message }: CommandLine): string {
  const { logger: _, stack, ...facts } = details;
  const isBare = Object.keys(facts).length === 0;
  const head = isBare ? message : `${message} ${JSON.stringify(facts)}`;
  return typeof stack === 'string' ? `${head}\n${stack}` : head;
}

/** How far an attempt is, from whatever its command gave. Never throws. */
export function progressOf(
  { message, percent, state }: { readonly [member in keyof Progress]: unknown },
  opened: Pick<OpenedSecrets, 'masked'> | null,
): Progress {
  const textOf = (value: unknown): string => {
    const text = typeof value === 'string' ? value : '';
    return opened === null ? text : opened.masked(text);
  };
  const words = textOf(message).slice(0, PROGRESS_LENGTH_MAX);
  const name = textOf(state).slice(0, STATE_LENGTH_MAX).replace(NOT_OF_STATES, '_');
  return {
    ...(name !== '' && { state: name }),
    ...(typeof percent === 'number' &&
      !Number.isNaN(percent) && { percent: Math.min(100, Math.max(0, percent)) }),
    ...(words !== '' && { message: words }),
  };
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
