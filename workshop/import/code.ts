import type { JsonValue } from '#core';
import { isExpression, parseExpression } from '#expressions';
import type { Notes } from './names.js';
import { clip, isObject, objectOf } from './source.js';

/** A part of a path: the name of a member, or the place in a list. */
export type Segment = string | number;

const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

/** JSONata for a text or any other value that is no expression. */
export function literal(value: JsonValue): string {
  return JSON.stringify(value);
}

/** JSONata for what lies at a path below something. */
export function at(base: string, path: readonly Segment[]): string {
  return path.reduce<string>((code, segment) => {
    if (typeof segment === 'number') return `${code}[${segment}]`;
    if (/^[A-Za-z_]\w*$/.test(segment) && !KEYWORDS.has(segment)) return `${code}.${segment}`;
    if (!/[`\n]/.test(segment) && segment !== '') return `${code}.\`${segment}\``;
    return `$lookup(${code}, ${literal(segment)})`;
  }, base);
}

/**
 * JSONata that may stand inside other JSONata, however that binds: of `[a][1].b` nothing comes, as
 * a list that begins a path is not looked into.
 */
export function enclosed(code: string): string {
  return /^[$\w`][$\w.`[\]]*$/.test(code) || /^\((?:[^()])*\)$/.test(code) ? code : `(${code})`;
}

/** JSONata as it stands in a flow. */
export function marked(code: string): string {
  return `{% ${code} %}`;
}

/** A constant as it stands in a template: texts in it that would be expressions stay texts. */
export function constant(value: JsonValue): JsonValue {
  if (isExpression(value)) return marked(literal(value));
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(constant);
  if (!isObject(value)) return value;
  return objectOf(Object.entries(value).map(([name, inner]) => [name, constant(inner ?? null)]));
}

/** JSONata that fails and says what a person has to write there. */
export function unwritten(source: string): string {
  return `$error(${literal(`not translated: ${clip(source).replaceAll('%}', '% }')}`)})`;
}

/**
 * An expression for a flow. One that the language refuses is noted, and stands there as one that
 * fails, so that no task goes on with a value that nobody meant.
 */
export function checked(code: string, place: { notes: Notes; pointer: string }): string {
  const read = parseExpression(marked(code));
  if (!('message' in read)) return marked(code);
  const message = `The expression could not be translated: ${read.message}.`;
  place.notes.add(place.pointer, 'EXPRESSION_NOT_CARRIED', message);
  return marked(unwritten(code));
}

/** A path like `$.a.b[0]['c']` as its parts; null: it is none, or has filters or wildcards. */
export function pathOf(text: string): readonly Segment[] | null {
  if (!text.startsWith('$')) return null;
  const segments: Segment[] = [];
  const part = /\.([\p{L}_][\p{L}\p{N}_-]*)|\[(\d{1,9})\]|\[(?:'([^'\\]*)'|"([^"\\]*)")\]/uy;
  part.lastIndex = 1;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return null;
    const [, name, index, single, double] = match;
    segments.push(index === undefined ? (name ?? single ?? double ?? '') : Number(index));
  }
  return segments;
}
