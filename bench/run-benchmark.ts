import { type Bench, type Benchmark, isAbsent, type Readings, type Rival } from './benchmark.js';

/** The readings of a benchmark. */
export interface Measured {
  readonly benchmark: Benchmark;
  /** Every rival's rounds. */
  readonly rounds: Readonly<Record<string, readonly Readings[]>>;
  /** Rivals that were not to be had, and why. */
  readonly skipped: Readonly<Record<string, string>>;
}

/**
 * Starts all rivals, warms each up, then measures them in turns, so that whatever else the machine
 * does meets all of them alike.
 */
export async function runBenchmark(benchmark: Benchmark, bench: Bench): Promise<Measured> {
  const running = new Map<string, Rival>();
  const skipped: Record<string, string> = {};
  const rounds: Record<string, Readings[]> = {};
  try {
    for (const [name, start] of Object.entries(benchmark.rivals)) {
      const started = await start(bench);
      if (isAbsent(started)) skipped[name] = started.absent;
      else running.set(name, started);
    }
    for (const rival of running.values()) await rival.measure(true);
    const count = bench.sizes.rounds * (benchmark.roundFactor ?? 1);
    for (let round = 0; round < count; round += 1) {
      for (const [name, rival] of running) (rounds[name] ??= []).push(await rival.measure());
    }
  } finally {
    for (const rival of running.values()) await rival.stop();
  }
  return { benchmark, rounds, skipped };
}
