import type { Verdict } from './reproduction.js';

/** Columns before the last one, which is what was sent. */
const COLUMNS: readonly (readonly [title: string, width: number])[] = [
  ['case', 26],
  ['result', 6],
  ['time', 9],
  ['/livez', 8],
  ['memory', 8],
];

/** The heading of the table of verdicts. */
export function tableHead(): string {
  return rowOf([...COLUMNS.map(([title]) => title), 'sent']);
}

/** The row of a verdict; a rule that does not hold stands below it, with why. */
export function tableRow({ fault, id, livezMs, ms, peakMib, rule, sends }: Verdict): string {
  const result = fault === null ? 'holds' : 'FAILS';
  const row = rowOf([id, result, `${ms} ms`, `${livezMs} ms`, `${peakMib ?? '?'} MiB`, sends]);
  return fault === null ? row : `${row}\n    ${rule}: ${fault}`;
}

function rowOf(cells: readonly string[]): string {
  return cells.map((cell, at) => cell.padEnd(COLUMNS[at]?.[1] ?? 0)).join('  ');
}
