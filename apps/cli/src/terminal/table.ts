import { plainLine } from '#wording';
import { clipText, padText, textWidth } from './text-width.js';

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
