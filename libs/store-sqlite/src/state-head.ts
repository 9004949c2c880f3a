/** Format of the state text; a reader refuses one that it does not know. */
export const STATE_FORMAT = 4;

/**
 * The beginning of a state text as far as lists show it, as JSON of its own; undefined: the text
 * ends before, or is none.
 */
export function cutStateHead(text: string): string | undefined {
  const found = STATE_HEAD.exec(text)?.[0];
  return found === undefined ? undefined : `${found.slice(1, -1)}]`;
}

/** Format, message, cursor, start and end: what is written first. */
const STATE_HEAD = /^\[\[\d+,(?:null|"(?:[^"\\]|\\.)*")(?:,(?:null|-?[\d.e+]+)){3},/;
