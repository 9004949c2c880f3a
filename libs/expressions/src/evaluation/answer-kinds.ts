import type { AnswerKind, JsonValue } from '#core';
import { parseDuration, WrongDuration } from '#wording';
import { UnusableResult } from './plain-json.js';

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

/** The last moment that JavaScript can tell. */
const MOMENT_MAX = 8.64e15;

const KINDS: Readonly<Record<AnswerKind, (value: JsonValue) => JsonValue>> = {
  json: (value) => value,
  gate: trueOrFalse,
  flag: trueOrFalse,
  first: trueOrFalse,
  text: (value) => wanted(value, typeof value === 'string', 'a text'),
  object: (value) => wanted(value, isObject(value), 'an object'),
  list: (value) => wanted(value, Array.isArray(value), 'a list'),
  items: (value) => wanted(value, Array.isArray(value), 'a list'),
  steps: (value) => wanted(value, Array.isArray(value), 'a list'),
  duration: durationOf,
  moment: momentOf,
};

/** The result of an expression, converted to the kind of its member. Throws `UnusableResult`. */
export function asWanted(value: JsonValue, kind: AnswerKind): JsonValue {
  return KINDS[kind](value);
}

function trueOrFalse(value: JsonValue): JsonValue {
  return wanted(value, typeof value === 'boolean', 'true or false');
}

function wanted(value: JsonValue, isRight: boolean, what: string): JsonValue {
  if (isRight) return value;
  throw new UnusableResult(`it comes to ${named(value)}, not to ${what}`);
}

/**
 * Turns the value that an expression picked from a list into a list. To the library nothing is an
 * empty list, and a list of one is the same as its entry.
 */
export function pickedList(value: JsonValue): JsonValue {
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function durationOf(value: JsonValue): JsonValue {
  if (typeof value !== 'number' && typeof value !== 'string') {
    return wanted(value, false, 'a duration');
  }
  try {
    return parseDuration(value);
  } catch (error) {
    if (!(error instanceof WrongDuration)) throw error;
    throw new UnusableResult(`it comes to ${named(value)}, as a duration ${error.message}`);
  }
}

function momentOf(value: JsonValue): JsonValue {
  const ms = typeof value === 'number' ? Math.round(value * 1_000) : textMoment(value);
  const isMoment = ms >= 0 && ms <= MOMENT_MAX;
  if (isMoment) return ms;
  return wanted(value, false, 'a moment: write seconds since 1970, or 2030-01-31T08:00:00Z');
}

function textMoment(value: JsonValue): number {
  return typeof value === 'string' && ISO_8601.test(value) ? Date.parse(value) : NaN;
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function named(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : String(value);
}
