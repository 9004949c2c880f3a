import type { Bench, Benchmark, Rival, RowPlan } from '../benchmark.js';
import { waitingSqlite } from '../fill/sqlite-fill.js';
import { handOverRival, throughputRival, together } from '../rival.js';
import type { Site } from '../site.js';
import { openStandalone } from '../standalone-site.js';

/** Tasks that wait for an hour may cost the others a twentieth at most. */
const GOAL = 1 / 1.05;

/** Measures how much tasks that only wait slow running tasks, in one process. */
export const standaloneWaiting: Benchmark = {
  name: 'waiting tasks',
  deployment: 'standalone',
  roundFactor: 3,
  rows: [],
  rowsOf: ({ sizes }) => waitingRows(sizes.waitingEmbedded),
  rivals: {
    waiting: async (bench) => {
      const store = await waitingSqlite(bench, bench.sizes.waitingEmbedded);
      return running(await openStandalone(bench, { name: 'waiting', store }), bench);
    },
    empty: async (bench) => running(await openStandalone(bench, { name: 'empty' }), bench),
  },
};

function running(site: Site, bench: Bench): Rival {
  return together([throughputRival(site, bench), handOverRival(site, bench, ['alone'])]);
}

function waitingRows(count: number): readonly RowPlan[] {
  const tail = `with ${count.toLocaleString('en-US')} waiting tasks`;
  const row = { of: 'waiting', beside: 'empty' } as const;
  const less = { ...row, better: 'less' } as const;
  const throughput = { ...row, unit: 'tasks/s', metric: 'tasks', better: 'more' } as const;
  return [
    { ...throughput, name: `throughput ${tail}`, goal: GOAL },
    { ...less, name: `hand-over alone p50 ${tail}`, unit: 'ms', metric: 'alone p50' },
    { ...less, name: `memory ${tail}`, unit: 'MiB', metric: 'memory' },
  ];
}
