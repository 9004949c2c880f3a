import { readStoredJson } from '#core/json';

// SQLite ends a text at its first NUL when it is read, and a lone surrogate has no UTF-8.
const NUL = '\u0000';
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPED = '\u0001';

/**
 * A text as a column can hold it, so that different texts stay different. Most texts are as they
 * are.
 */
export function toColumn(text: string): string {
  const isFit = !text.startsWith(ESCAPED) && !text.includes(NUL) && !LONE_SURROGATE.test(text);
  return isFit ? text : ESCAPED + JSON.stringify(text);
}

/** The text that a column stands for. */
export function fromColumn(column: string): string {
  return column.startsWith(ESCAPED)
    ? (readStoredJson(column.slice(1), 'a column') as string)
    : column;
}
