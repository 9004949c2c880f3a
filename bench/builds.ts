/**
 * This build beside another one: both run, and are measured in turns of a second, so that a machine
 * whose speed changes from second to second changes it for both. Of the ratios of neighbours the
 * median is told: after 20 of them it is known to 2 or 3 %, where whole runs differ by 40 %.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench, Benchmark, Readings, RowPlan } from './benchmark.js';
import { runBenchmark } from './run-benchmark.js';
import { ratioOf } from './results.js';
import { quantile } from './statistics.js';

/**
 * How many times as long a turn is over servers: a slow machine that has two sets to carry ends
 * hardly a task in a second.
 */
const TURN_ON_SERVERS = 5;

/** The rival that is this build, and the other one. */
const NOW = 'ours';
const BEFORE = 'before';

/** Where this build stands beside another one. Ratios above 1 are better. */
export interface Step {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  readonly ratio: number;
  /** Within which nine of ten medians of as many turns would lie. */
  readonly range: readonly [low: number, high: number];
}

/** The benchmarks of another build, from its folder. Throws where it was not built. */
export async function benchmarksOf(folder: string): Promise<readonly Benchmark[]> {
  const file = path.resolve(folder, 'dist/bench/benchmarks/index.js');
  const { BENCHMARKS } = (await import(pathToFileURL(file).href)) as {
    BENCHMARKS: readonly Benchmark[];
  };
  return BENCHMARKS;
}

/** Measures what both builds have of a benchmark. Empty: the other one has no such benchmark. */
export async function compareBuilds(
  benchmark: Benchmark,
  others: readonly Benchmark[],
  bench: Bench,
): Promise<readonly Step[]> {
  const { deployment, name, rivals } = benchmark;
  const other = others.find((one) => one.deployment === deployment && one.name === name);
  const [ours, theirs] = [rivals[NOW], other?.rivals[NOW]];
  if (ours === undefined || theirs === undefined) return [];
  const paced = deployment === 'distributed' ? withLongTurns(bench) : bench;
  // A folder of its own: both have the same names for what they keep.
  const before = { ...paced, folder: path.join(bench.folder, BEFORE) };
  const pair: Benchmark['rivals'] = { [BEFORE]: () => theirs(before), [NOW]: ours };
  const { rounds } = await runBenchmark({ ...benchmark, rivals: pair, roundFactor: 1 }, paced);
  return stepsOf(benchmark.rows, rounds[BEFORE] ?? [], rounds[NOW] ?? []);
}

function withLongTurns(bench: Bench): Bench {
  const { sizes } = bench;
  const httpMs = sizes.httpMs * TURN_ON_SERVERS;
  const roundMs = sizes.roundMs * TURN_ON_SERVERS;
  return { ...bench, sizes: { ...sizes, httpMs, roundMs } };
}

/** One step for each metric of the rows that both have. */
export function stepsOf(
  rows: readonly RowPlan[],
  before: readonly Readings[],
  now: readonly Readings[],
): readonly Step[] {
  const metrics = new Map(rows.map(({ better, metric }) => [metric, better]));
  return [...metrics].flatMap(([metric, better]) => {
    const pairs = before.map((was, turn) => [was[metric], now[turn]?.[metric]] as const);
    const whole = pairs.filter((pair): pair is [number, number] => !pair.includes(undefined));
    if (whole.length === 0) return [];
    const ratios = whole.flatMap(([was, is]) => ratioOf(is, was, better) ?? []);
    const middle = (values: readonly number[]): number => quantile(values, 0.5);
    const [was, is] = [whole.map(([value]) => value), whole.map(([, value]) => value)];
    const range = rangeOf(ratios);
    return [{ name: metric, before: middle(was), now: middle(is), ratio: middle(ratios), range }];
  });
}

/** Of a median: by the places in the order of values that a coin would reach in one of ten rows. */
function rangeOf(ratios: readonly number[]): readonly [number, number] {
  const spread = 1.645 / (2 * Math.sqrt(ratios.length));
  return [quantile(ratios, Math.max(0, 0.5 - spread)), quantile(ratios, Math.min(1, 0.5 + spread))];
}

/** A line for each step. */
export function stepsText(steps: readonly Step[]): string {
  if (steps.length === 0) return '  the other build has nothing to compare it with';
  const width = Math.max(...steps.map(({ name }) => name.length));
  const lines = steps.map(({ before, name, now, range, ratio }) => {
    const [low, high] = range.map((value) => value.toFixed(2));
    const values = `${before.toPrecision(4)} before, ${now.toPrecision(4)} now`;
    return `  ${name.padEnd(width)}  ${ratio.toFixed(2)}x (${low} .. ${high})  ${values}`;
  });
  return lines.join('\n');
}
