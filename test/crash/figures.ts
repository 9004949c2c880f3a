import { recoveryOf } from '../storm/index.js';

/** Figures of the kills at one point in one deployment. */
export interface PointFigures {
  readonly id: string;
  readonly deployment: string;
  readonly kills: number;
  readonly lost: number;
  readonly stuck: number;
  readonly wrong: number;
  /** Milliseconds from readiness to the end of each task that the crash had interrupted. */
  readonly recoveryMs: readonly number[];
}

const HEAD = [
  'point',
  'deployment',
  'kills',
  'lost',
  'stuck',
  'wrong',
  'tasks',
  'p50',
  'p99',
  'max',
];

/** A table for people who read the output of a test; times in milliseconds. */
export function formatFigures(all: readonly PointFigures[]): string {
  const rows = all.map((figures) => [
    figures.id,
    figures.deployment,
    ...[figures.kills, figures.lost, figures.stuck, figures.wrong].map(String),
    ...timesOf(figures.recoveryMs),
  ]);
  const total = ['all', '', String(sum(all, 'kills')), ...totals(all)];
  const table = [HEAD, ...rows, total];
  const widths = HEAD.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return table.map(line).join('\n');
}

function totals(all: readonly PointFigures[]): readonly string[] {
  const counts = (['lost', 'stuck', 'wrong'] as const).map((name) => String(sum(all, name)));
  return [...counts, ...timesOf(all.flatMap(({ recoveryMs }) => recoveryMs))];
}

function timesOf(times: readonly number[]): readonly string[] {
  const { max, p50, p99 } = recoveryOf(times.map((recoveredMs) => ({ recoveredMs })));
  return [times.length, p50, p99, max].map(String);
}

function sum(all: readonly PointFigures[], name: 'kills' | 'lost' | 'stuck' | 'wrong'): number {
  return all.reduce((total, figures) => total + figures[name], 0);
}
