import { describe, expect, it } from '@jest/globals';
import type { Bench, Benchmark, Readings, Rival } from './benchmark.js';
import { BENCHMARKS } from './benchmarks/index.js';
import { tableOf } from './report/table.js';
import { resultsOf } from './results.js';
import { runBenchmark } from './run-benchmark.js';
import { FULL, QUICK, type Sizes } from './sizes.js';

const benchOf = (sizes: Partial<Sizes> = {}): Bench => ({
  sizes: { ...FULL, rounds: 2, ...sizes },
  folder: '/nowhere',
  cache: '/nowhere',
  say: () => {},
});

/** A site that is none: it writes down what is asked of it and answers with what is given. */
class FakeSite {
  readonly asked: string[] = [];

  starts(name: string, readings: readonly Readings[]): () => Promise<Rival> {
    const left = [...readings];
    return async () => {
      this.asked.push(`start ${name}`);
      return {
        measure: async (brief) => {
          this.asked.push(brief === true ? `warm up ${name}` : `measure ${name}`);
          return brief === true ? {} : (left.shift() ?? {});
        },
        stop: async () => void this.asked.push(`stop ${name}`),
      };
    };
  }
}

const ROWS = [
  { name: 'rate', unit: 'tasks/s', metric: 'tasks', better: 'more', goal: 0.5 },
  { name: 'time', unit: 'ms', metric: 'ms', better: 'less', goal: 1, limit: 5 },
] as const;

function plan(rivals: Benchmark['rivals'], more: Partial<Benchmark> = {}): Benchmark {
  return { name: 'fake', deployment: 'standalone', rows: ROWS, rivals, ...more };
}

describe('a benchmark', () => {
  it('starts all, warms all up, measures them in turns, and stops them', async () => {
    const { asked, ...site } = fake();
    await runBenchmark(plan({ ours: site.ours([]), floor: site.floor([]) }), benchOf());
    expect(asked).toEqual([
      ...['start ours', 'start floor', 'warm up ours', 'warm up floor'],
      ...['measure ours', 'measure floor', 'measure ours', 'measure floor'],
      ...['stop ours', 'stop floor'],
    ]);
  });

  it('takes more rounds where little is told apart', async () => {
    const { asked, ours } = fake();
    await runBenchmark(plan({ ours: ours([]) }, { roundFactor: 3 }), benchOf());
    expect(asked.filter((each) => each === 'measure ours')).toHaveLength(6);
  });

  it('goes on without what is not to be had, and says why', async () => {
    const { ours } = fake();
    const absent = async () => ({ absent: 'no such server' });
    const readings = [{ tasks: 1 }, { tasks: 3 }];
    const measured = await runBenchmark(plan({ floor: absent, ours: ours(readings) }), benchOf());
    expect(measured.skipped).toEqual({ floor: 'no such server' });
    expect(resultsOf(measured, benchOf())).toMatchObject([
      { name: 'rate', median: 2, floor: null, ratio: null, reached: null },
    ]);
  });

  it('stops what it has started when something fails', async () => {
    const { asked, ours } = fake();
    const broken = () => Promise.reject(new Error('no port'));
    const running = runBenchmark(plan({ ours: ours([]), floor: broken }), benchOf());
    await expect(running).rejects.toThrow('no port');
    expect(asked).toEqual(['start ours', 'stop ours']);
  });

  it('compares medians, and judges by goal or limit', async () => {
    const { floor, ours } = fake();
    const own = [
      { tasks: 40, ms: 6 },
      { tasks: 60, ms: 4 },
    ];
    const other = [
      { tasks: 100, ms: 2 },
      { tasks: 120, ms: 2 },
    ];
    const rivals = { ours: ours(own), floor: floor(other) };
    const measured = await runBenchmark(plan(rivals), benchOf());
    expect(resultsOf(measured, benchOf())).toMatchObject([
      { name: 'rate', median: 50, min: 40, max: 60, floor: 110, ratio: 50 / 110, reached: false },
      { name: 'time', median: 5, floor: 2, ratio: 2 / 5, reached: true },
    ]);
    const unjudged = resultsOf(measured, benchOf({ judged: false }));
    expect(unjudged.map(({ reached }) => reached)).toEqual([null, null]);
    expect(tableOf(resultsOf(measured, benchOf())).split('\n').slice(1)).toEqual([
      expect.stringMatching(/^ {2}rate .* 0\.45x .*MISSED$/),
      expect.stringMatching(/^ {2}time .* 0\.40x .*reached$/),
    ]);
  });
});

describe('everything that is measured', () => {
  it.each(BENCHMARKS.map((each) => [`${each.deployment} ${each.name}`, each] as const))(
    '%s compares rivals that it starts',
    (_name, { rivals, rows, rowsOf }) => {
      const all = rowsOf?.(benchOf(QUICK)) ?? rows;
      expect(all).not.toEqual([]);
      for (const { beside = 'floor', of = 'ours' } of all) {
        expect(Object.keys(rivals)).toContain(of);
        // Some figures stand for themselves.
        expect(['floor', 'none', ...Object.keys(rivals)]).toContain(beside);
      }
    },
  );

  it('has a name of its own', () => {
    const names = BENCHMARKS.flatMap(({ deployment, rows, rowsOf }) =>
      (rowsOf?.(benchOf(FULL)) ?? rows).map(({ name }) => `${deployment} ${name}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

function fake() {
  const site = new FakeSite();
  return {
    asked: site.asked,
    ours: (readings: readonly Readings[]) => site.starts('ours', readings),
    floor: (readings: readonly Readings[]) => site.starts('floor', readings),
  };
}
