import type { JsonObject, JsonValue } from './json.js';

/** Characters that stand for themselves in JSON, one byte each. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Control characters with an escape of two characters: \b, \t, \n, \f, \r. */
const SHORT_ESCAPES = new Set([8, 9, 10, 12, 13]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Length of a value as JSON in UTF-8, in bytes, without writing it. Without recursion, so that no
 * depth is too deep.
 */
export function jsonSize(value: JsonValue): number {
  let sum = 0;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    sum += typeof next === 'object' && next !== null ? opened(next, open) : scalarSize(next);
  }
  return sum;
}

function scalarSize(value: string | number | boolean | null): number {
  if (typeof value === 'string') return textSize(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value).length;
  return value === false ? 5 : 4;
}

/** Bytes of an object or array but for what is in it, which is left open to be counted. */
function opened(value: object & JsonValue, open: JsonValue[]): number {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) open.push(item);
    return 2 + Math.max(0, value.length - 1);
  }
  let sum = 0;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    if (member === undefined) continue;
    open.push(member);
    sum += textSize(key) + 2;
  }
  // Braces, and a comma less than members.
  return sum === 0 ? 2 : sum + 1;
}

function textSize(text: string): number {
  return text.length + 2 + (PLAIN.test(text) ? 0 : extraBytes(text));
}

/** Bytes beyond one for each unit of the text. */
function extraBytes(text: string): number {
  let extra = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      extra += escapeSize(code) - 1;
    } else if (code < 0x800) {
      extra += 1;
    } else if (code < 0xd800 || code > 0xdfff) {
      extra += 2;
    } else if (code < 0xdc00 && isLowHalf(text.charCodeAt(at + 1))) {
      // A pair is four bytes for two units.
      extra += 2;
      at += 1;
    } else {
      // Half a character is written as its number.
      extra += 5;
    }
  }
  return extra;
}

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function escapeSize(code: number): number {
  if (code === QUOTE || code === BACKSLASH || SHORT_ESCAPES.has(code)) return 2;
  return code < 0x20 ? 6 : 1;
}
