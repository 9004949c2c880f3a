import type { InputFault } from './problems.js';

/** Deepest nesting of lists and objects that is taken. */
export const JSON_DEPTH_MAX = 64;

interface Found {
  /** From the innermost member outwards. */
  readonly path: (string | number)[];
  readonly message: string;
  readonly hint: string;
}

/** Message and hint for a place that is nested deeper than that. */
export const TOO_DEEP = {
  message: `Lists and objects are nested deeper than ${JSON_DEPTH_MAX} levels.`,
  hint: 'Write it flatter.',
};
const FORBIDDEN_NAME = {
  message: 'A member must not be called `__proto__`.',
  hint: 'Choose another name.',
};
const NOT_FINITE = {
  message: 'A number is too large to be kept.',
  hint: 'Write it as text, or smaller.',
};
const NOT_EXACT = {
  message: 'A whole number has more digits than can be kept.',
  hint: 'Write it as text, in double quotes.',
};
const ILL_FORMED = {
  message: 'A text has half of a surrogate pair, which UTF-8 cannot write.',
  hint: 'Remove the \\ud800 to \\udfff that stands alone.',
};

/** Facts about a value that only its JSON text shows. */
export interface JsonSource {
  /** It had escapes, so a lone surrogate is possible. */
  readonly escaped: boolean;
  /** Numbers that were written as others. */
  readonly inexact: ReadonlySet<number>;
}

/**
 * Finds a fault in a value that `JSON.parse` gave: something that JSON allows, and that could not
 * be stored or could do harm further on. Null: there is none.
 */
export function findJsonFault(value: unknown, source: JsonSource): InputFault | null {
  const found = search(value, 1, source);
  if (found === null) return null;
  const { path, message, hint } = found;
  return { pointer: path.toReversed().map(pointerPart).join(''), message, hint };
}

function search(value: unknown, depth: number, source: JsonSource): Found | null {
  if (typeof value === 'string') {
    return source.escaped && isIllFormed(value) ? { path: [], ...ILL_FORMED } : null;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return { path: [], ...NOT_FINITE };
    return source.inexact.has(value) ? { path: [], ...NOT_EXACT } : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth > JSON_DEPTH_MAX) return { path: [], ...TOO_DEEP };
  if (Array.isArray(value)) return searchList(value, depth, source);
  const object = value as Readonly<Record<string, unknown>>;
  // eslint-disable-next-line guard-for-in -- JSON.parse makes own members only.
  for (const key in object) {
    if (key === '__proto__') return { path: [key], ...FORBIDDEN_NAME };
    if (source.escaped && isIllFormed(key)) return { path: [], ...ILL_FORMED };
    const found = search(object[key], depth + 1, source);
    if (found !== null) return within(found, key);
  }
  return null;
}

function searchList(list: readonly unknown[], depth: number, source: JsonSource): Found | null {
  for (let index = 0; index < list.length; index++) {
    const found = search(list[index], depth + 1, source);
    if (found !== null) return within(found, index);
  }
  return null;
}

function within(found: Found, key: string | number): Found {
  found.path.push(key);
  return found;
}

function isIllFormed(text: string): boolean {
  return /[\ud800-\udfff]/u.test(text);
}

/** One step of an RFC 6901 pointer. */
export function pointerPart(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
