import { plainLine } from '#wording';
import { clipText, padText, textWidth } from './text-width.js';

/** One column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  readonly align?: 'left' | 'right';
}

const GAP = '  ';

/** Rows under a head, in columns; the last column gives way where lines are too wide. */
export function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
): string[] {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => plainLine(value(row)))),
  ];
  const widths = columns.map((_, index) => {
    return Math.max(...cells.map((row) => textWidth(row[index] ?? '')));
  });
  return cells.map((row) => {
    const padded = row.map((cell, index) => {
      return padText(cell, widths[index] ?? 0, columns[index]?.align);
    });
    return clipText(padded.join(GAP).trimEnd(), width);
  });
}
