/** A text of a test with a mark, `§`, before what is at fault in it. */
export interface MarkedText {
  readonly text: string;
  /** Of the mark, counted from 1; of the start where there is none. */
  readonly line: number;
  readonly column: number;
}

/** The text without its mark, and where that was. */
export function unmarked(marked: string): MarkedText {
  const before = marked.includes('§') ? marked.slice(0, marked.indexOf('§')) : '';
  const lines = before.split(/\r\n|\n|\r/);
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return { text: marked.replace('§', ''), line: lines.length, column };
}
