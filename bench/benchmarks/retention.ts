import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, Benchmark, Readings, Rival, RowPlan } from '../benchmark.js';
import { finishedSqlite } from '../fill/sqlite-fill.js';
import { measureThroughput } from '../measures.js';
import type { Site } from '../site.js';
import { openStandalone } from '../standalone-site.js';

/** Removing old tasks may cost those that run a tenth at most. */
const GOAL = 0.9;

/** New tasks take the room of removed ones: a file that keeps all must not be the smaller one. */
const FILE_GOAL = 1;

const METRIC = /^backstep_retention_removed_tasks (\d+)$/m;

/** Measures how much archiving and removing finished tasks slows running tasks, in one process. */
export const standaloneRetention: Benchmark = {
  name: 'removal',
  deployment: 'standalone',
  roundFactor: 2,
  rows: [],
  rowsOf: ({ sizes }) => removalRows(sizes.removedEmbedded),
  rivals: {
    removing: (bench) => {
      const archive = path.join(bench.folder, 'archive');
      const env = { BACKSTEP_RETENTION: '30d', BACKSTEP_ARCHIVE: archive };
      return rivalOf(bench, 'removing', env);
    },
    keeping: (bench) => rivalOf(bench, 'keeping', {}),
  },
};

/**
 * Each measure has a process of its own, on the file that the one before left: one that removes
 * while the other rival is measured would take the machine from it.
 */
async function rivalOf(
  bench: Bench,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<Rival> {
  const store = await finishedSqlite(bench, { name, count: bench.sizes.removedEmbedded });
  return {
    stop: async () => undefined,
    measure: async (brief) => {
      if (brief === true) return {};
      const site = await openStandalone(bench, { name, store, env });
      let readings: Readings = {};
      try {
        readings = await measureRemoval(site, bench);
      } finally {
        await site.stop();
      }
      // By now everything has come from the log into the file.
      return { ...readings, file: (await stat(store)).size / 2 ** 20 };
    },
  };
}

async function measureRemoval(site: Site, { sizes }: Bench): Promise<Readings> {
  const { inFlight, roundMs, warmUpMs } = sizes;
  await measureThroughput(site, { flow: 'bench-lab', ms: warmUpMs, inFlight });
  const before = await removedBy(site);
  const readings = await measureThroughput(site, { flow: 'bench-lab', ms: roundMs, inFlight });
  const removed = (await removedBy(site)) - before;
  return { ...readings, removed: (removed * 1_000) / roundMs };
}

async function removedBy(site: Site): Promise<number> {
  const answer = await fetch(`${await site.url()}/metrics`);
  return Number(METRIC.exec(await answer.text())?.[1] ?? 0);
}

function removalRows(count: number): readonly RowPlan[] {
  const tail = `while ${count.toLocaleString('en-US')} finished tasks are archived and removed`;
  const row = { of: 'removing', beside: 'keeping' } as const;
  const throughput = { ...row, unit: 'tasks/s', metric: 'tasks', better: 'more' } as const;
  return [
    { ...throughput, name: `throughput ${tail}`, goal: GOAL },
    { ...row, name: 'removal', unit: 'tasks/s', metric: 'removed', better: 'more' },
    { ...row, name: `file ${tail}`, unit: 'MiB', metric: 'file', better: 'less', goal: FILE_GOAL },
  ];
}
