import type { Bench, Deployment, Readings, RowPlan } from './benchmark.js';
import type { Measured } from './run-benchmark.js';
import { type Spread, spreadOf } from './statistics.js';

/** One line of the results, as `--json` writes it. */
export interface Result extends Spread {
  readonly name: string;
  readonly deployment: Deployment;
  readonly unit: string;
  /** Median of what it is compared with, measured in the same run; null: it was not there. */
  readonly floor: number | null;
  /** Ours / floor, inverted where less is better: more is better. */
  readonly ratio: number | null;
  /** The ratio that is wanted; null: none. */
  readonly goal: number | null;
  /** A value in `unit` that is good enough by itself; null: none. */
  readonly limit: number | null;
  /** The name of the rival whose median is `floor`. */
  readonly beside: string;
  /** Whether goal or limit is reached; null: there is neither, or nothing is judged. */
  readonly reached: boolean | null;
}

/** Makes the rows of a benchmark from its rounds; rows without numbers are left out. */
export function resultsOf(measured: Measured, bench: Bench): readonly Result[] {
  const { benchmark } = measured;
  const rows = benchmark.rowsOf?.(bench) ?? benchmark.rows;
  return rows.flatMap((row) => {
    const { beside = 'floor', better, of = 'ours' } = row;
    const ours = spreadOf(valuesOf(measured.rounds[of], row.metric));
    if (ours === undefined) return [];
    const floor = spreadOf(valuesOf(measured.rounds[beside], row.metric))?.median ?? null;
    const ratio = floor === null ? null : ratioOf(ours.median, floor, better);
    const { goal = null, limit = null, name, unit } = row;
    const reached = bench.sizes.judged ? judge(row, ours.median, ratio) : null;
    const { deployment } = benchmark;
    return [{ name, deployment, unit, ...ours, floor, ratio, goal, limit, beside, reached }];
  });
}

/** Medians of what is spent where, in microseconds per task: metrics that start with `time.`. */
export function timesOf(rounds: readonly Readings[]): readonly (readonly [string, number])[] {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)));
  return [...names]
    .filter((name) => name.startsWith('time.'))
    .map((name) => [name.slice('time.'.length), spreadOf(valuesOf(rounds, name))!.median] as const);
}

function valuesOf(rounds: readonly Readings[] = [], metric: string): readonly number[] {
  return rounds.flatMap((round) => {
    const value = round[metric];
    return value === undefined || !Number.isFinite(value) ? [] : [value];
  });
}

/** Ours beside something, inverted where less is better; null: it is no number. */
export function ratioOf(ours: number, floor: number, better: RowPlan['better']): number | null {
  const ratio = better === 'more' ? ours / floor : floor / ours;
  return Number.isFinite(ratio) ? ratio : null;
}

function judge(row: RowPlan, ours: number, ratio: number | null): boolean | null {
  const { better, goal, limit } = row;
  const verdicts: boolean[] = [];
  if (goal !== undefined && ratio !== null) verdicts.push(ratio >= goal);
  if (limit !== undefined) verdicts.push(better === 'more' ? ours >= limit : ours <= limit);
  return verdicts.length === 0 ? null : verdicts.includes(true);
}
