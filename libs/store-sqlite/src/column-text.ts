// SQLite ends a text at its first NUL when it is read, and a lone surrogate has no UTF-8.
// eslint-disable-next-line no-control-regex
const UNFIT =
  /[\u0000\u0001]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const ESCAPED = '\u0001';

/** A text as a column can hold it, so that different texts stay different. Most texts are as they are. */
export function toColumn(text: string): string {
  return UNFIT.test(text) ? ESCAPED + JSON.stringify(text) : text;
}

/** The text that a column stands for. */
export function fromColumn(column: string): string {
  return column.startsWith(ESCAPED) ? (JSON.parse(column.slice(1)) as string) : column;
}
