import { plainLine } from '#wording';

/** One column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  /** The value where lines would be too wide; absent: the same. */
  readonly short?: (row: T) => string;
  readonly align?: 'left' | 'right';
}

const GAP = '  ';

/** Columns of a terminal that the last column of a table wants at least. */
const LAST_LEAST = 16;

/** Two columns each in a terminal: East Asian wide letters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * Rows under a head, in columns. Where lines are too wide, short values take the place of values,
 * then the last column gives way.
 */
export function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
): string[] {
  // The last column may be cut, so it counts with a little.
  const whole = cellsOf(rows, columns);
  const needed = widthsOf(whole)
    .slice(0, -1)
    .reduce((sum, one) => sum + one + GAP.length, 0);
  const isNarrow = needed + LAST_LEAST > width;
  const cells = isNarrow ? cellsOf(rows, columns.map(shortened)) : whole;
  const widths = widthsOf(cells);
  return cells.map((row) => {
    const padded = row.map((cell, index) => {
      return padText(cell, widths[index] ?? 0, columns[index]?.align);
    });
    return clipText(padded.join(GAP).trimEnd(), width);
  });
}

/** Texts behind their titles, one in a line. */
export function titledLines(rows: readonly (readonly [title: string, text: string])[]): string[] {
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, text]) => `${title.padEnd(width)}${GAP}${plainLine(text)}`);
}

function cellsOf<T>(rows: readonly T[], columns: readonly Column<T>[]): string[][] {
  const values = rows.map((row) => columns.map(({ value }) => plainLine(value(row))));
  return [columns.map(({ title }) => title), ...values];
}

function widthsOf(cells: readonly (readonly string[])[]): number[] {
  const [head = []] = cells;
  return head.map((_, index) => Math.max(...cells.map((row) => textWidth(row[index] ?? ''))));
}

function shortened<T>(column: Column<T>): Column<T> {
  return { ...column, value: column.short ?? column.value };
}

/**
 * How many columns of a terminal a text takes. Measured in one run over the cells of a long table,
 * the package `string-width` takes 1.8 times as long, and it brings three more packages.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width;
}

/** The text, or as much of it as fits with `…` at the end. */
export function clipText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let clipped = '';
  let left = width - 1;
  for (const letter of text) {
    left -= letterWidth(letter);
    if (left < 0) break;
    clipped += letter;
  }
  return width < 1 ? '' : `${clipped}…`;
}

/** The text with blanks up to a width. */
export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

function letterWidth(letter: string): number {
  if (NO_WIDTH.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}
