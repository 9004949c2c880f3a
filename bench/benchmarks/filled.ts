import { type Bench, type Benchmark, type Rival, type RowPlan } from '../benchmark.js';
import { openOnOwnHost, SharedPair } from '../distributed-site.js';
import { fillMongo } from '../fill/mongo-fill.js';
import { filledSqlite } from '../fill/sqlite-fill.js';
import { handOverRival, httpRival, onPair, throughputRival, together } from '../rival.js';
import type { Site } from '../site.js';
import { openStandalone } from '../standalone-site.js';

/** A million finished tasks may cost a tenth at most. */
const GOAL = 1 / 1.1;

/** Measures the cost of finished tasks in the store, in one process. */
export const standaloneFilled: Benchmark = {
  name: 'finished tasks',
  deployment: 'standalone',
  rows: [],
  rowsOf: ({ sizes }) => filledRows(sizes.finishedEmbedded),
  rivals: {
    filled: async (bench) => {
      const store = await filledSqlite(bench, bench.sizes.finishedEmbedded);
      return everything(await openStandalone(bench, { name: 'filled', store }), bench);
    },
    empty: async (bench) => everything(await openStandalone(bench, { name: 'empty' }), bench),
  },
};

let pair: SharedPair;
let filledTasks = 0;

/** The same on a server; the store is filled as far as the time allows. */
export const distributedFilled: Benchmark = {
  name: 'finished tasks',
  deployment: 'distributed',
  rows: [],
  rowsOf: () => filledRows(filledTasks),
  rivals: {
    filled: (bench) => {
      pair = new SharedPair({ syncOnCommit: true });
      return onPair(pair, {
        name: 'filled',
        open: (options) => {
          mongoUrl = options.pair.mongo.url;
          return openOnOwnHost(bench, options);
        },
        rival: async (site) => {
          await site.drive({ kind: 'alone', flow: 'bench-lab', tasks: 1 });
          // Nobody may measure while it fills, so this is part of the start.
          filledTasks = await fillMongo(bench, { url: mongoUrl, name: 'filled' });
          return everything(site, bench, bench.sizes.createsOnServer);
        },
      });
    },
    empty: (bench) =>
      onPair(pair, {
        name: 'empty',
        open: (options) => openOnOwnHost(bench, options),
        rival: (site) => everything(site, bench, bench.sizes.createsOnServer),
      }),
  },
};

let mongoUrl = '';

async function everything(site: Site, bench: Bench, creates?: number): Promise<Rival> {
  const http = await httpRival(site, bench, creates);
  return together([throughputRival(site, bench), handOverRival(site, bench, ['alone']), http]);
}

function filledRows(count: number): readonly RowPlan[] {
  const tail = `with ${count.toLocaleString('en-US')} finished tasks`;
  const row = { of: 'filled', beside: 'empty', goal: GOAL } as const;
  const rate = { ...row, unit: 'requests/s', better: 'more' } as const;
  const time = { ...row, unit: 'ms', better: 'less' } as const;
  return [
    { ...row, name: `throughput ${tail}`, unit: 'tasks/s', metric: 'tasks', better: 'more' },
    { ...time, name: `hand-over alone p50 ${tail}`, metric: 'alone p50' },
    ...['create', 'get', 'list'].map((metric) => ({ ...rate, name: `${metric} ${tail}`, metric })),
    { ...row, name: `memory ${tail}`, unit: 'MiB', metric: 'memory', better: 'less' },
  ];
}
