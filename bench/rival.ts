import { type Absent, type Bench, type Readings, type Rival } from './benchmark.js';
import type { Pair, SharedPair, SiteOptions } from './distributed-site.js';
import { type HandOverWay, measureHandOver, measureHttp, measureThroughput } from './measures.js';
import { Program } from './program.js';
import type { Site } from './site.js';

/** Pages that are asked for in one round, one after another, of a store on a server. */
const LISTS_ON_SERVER = 10;

/** A rival at full speed, over one or more flows; only the first one's costs are counted. */
export function throughputRival(
  site: Site,
  bench: Bench,
  flows: Readonly<Record<string, string>> = { '': 'bench-lab' },
): Rival {
  const { inFlight, roundMs, warmUpMs } = bench.sizes;
  return {
    stop: () => site.stop(),
    measure: async (brief) => {
      const ms = brief === true ? warmUpMs : roundMs;
      const all: Record<string, number> = {};
      for (const [prefix, flow] of Object.entries(flows)) {
        const readings = await measureThroughput(site, { flow, ms, inFlight });
        for (const [metric, value] of Object.entries(readings)) all[prefix + metric] = value;
      }
      return all;
    },
  };
}

/** A rival whose steps follow one another: with no task beside, and at a fixed pace. */
export function handOverRival(
  site: Site,
  bench: Bench,
  ways: readonly HandOverWay[] = ['alone', 'paced'],
): Rival {
  return {
    stop: () => site.stop(),
    measure: (brief) => measureHandOver(site, bench.sizes, brief === true ? ['alone'] : ways),
  };
}

/** A rival that is asked over HTTP. */
export async function httpRival(site: Site, bench: Bench, creates?: number): Promise<Rival> {
  const load = await Program.start({
    program: 'programs/load',
    name: 'load',
    folder: bench.folder,
  });
  const { connections, httpMs, knownTasks, warmUpMs } = bench.sizes;
  const ids = await site.seed(knownTasks);
  const lists = creates === undefined ? undefined : LISTS_ON_SERVER;
  return {
    stop: async () => {
      await load.stop();
      await site.stop();
    },
    measure: (brief): Promise<Readings> => {
      const ms = brief === true ? warmUpMs : httpMs;
      return measureHttp({ site, load }, { connections, creates, ids, lists, ms });
    },
  };
}

/** Several measures of one site, one after the other; the last one lets go of everything. */
export function together(rivals: readonly Rival[]): Rival {
  return {
    stop: async () => rivals.at(-1)?.stop(),
    measure: async (brief) => {
      const all: Record<string, number> = {};
      for (const rival of rivals) Object.assign(all, await rival.measure(brief));
      return all;
    },
  };
}

/** A rival on shared servers, unless they are not to be had. */
export async function onPair(
  shared: SharedPair,
  { name, open, rival }: OnPair,
): Promise<Rival | Absent> {
  const pair: Pair | Absent = await shared.take();
  if ('absent' in pair) return pair;
  try {
    return await rival(await open({ pair, name, release: shared.release }));
  } catch (error) {
    await shared.release();
    throw error;
  }
}

/** A rival that runs on shared servers. */
export interface OnPair {
  readonly name: string;
  readonly open: (options: SiteOptions) => Promise<Site>;
  readonly rival: (site: Site) => Rival | Promise<Rival>;
}
