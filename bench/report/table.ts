import type { Result } from '../results.js';

const HEAD = ['', 'ours', 'spread', 'beside', 'ratio', 'goal', 'verdict'] as const;

/** The results of one benchmark as a table for people. */
export function tableOf(results: readonly Result[]): string {
  const rows = [HEAD as readonly string[], ...results.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => row.map((cell, column) => padded(cell, column, widths[column]!)).join('  '))
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}

/** The cells of one result, in the order of the table. */
export function cellsOf(result: Result): readonly string[] {
  const { beside, floor, max, median, min, name, ratio, reached, unit } = result;
  return [
    name,
    `${numberText(median)} ${unit}`,
    `${numberText(min)} .. ${numberText(max)}`,
    floor === null ? '-' : `${numberText(floor)} (${beside})`,
    ratio === null ? '-' : `${ratio.toFixed(2)}x`,
    goalText(result),
    reached === null ? '' : reached ? 'reached' : 'MISSED',
  ];
}

/** A number as people read it: few digits. */
export function numberText(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

function goalText({ floor, goal, limit, median }: Result): string {
  const texts: string[] = [];
  if (goal !== null) texts.push(`>= ${Number(goal.toFixed(2))}x`);
  // A limit has no direction of its own: throughput is in the thousands, times are not.
  if (limit !== null) {
    const isRate = Math.max(median, floor ?? 0, limit) >= 1_000;
    texts.push(`${isRate ? '>=' : '<='} ${numberText(limit)}`);
  }
  return texts.join(' or ');
}

function padded(cell: string, column: number, width: number): string {
  return column >= 1 && column <= 4 ? cell.padStart(width) : cell.padEnd(width);
}
