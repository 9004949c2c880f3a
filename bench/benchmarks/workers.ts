import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Benchmark, Readings, Rival, RowPlan } from '../benchmark.js';
import { Program } from '../program.js';
import type { Crew, Grab } from '../programs/work-load.js';
import type { Site } from '../site.js';
import { STEPS } from '../sizes.js';
import { openStandalone, openWorkerFloor } from '../standalone-site.js';
import { quantile } from '../statistics.js';

/** Most items of one poll. */
const MANY = 100;
/** Polls of many items at a time. */
const GRABBERS = 4;

const RATE = { better: 'more', goal: 0.6 } as const;

/** Actions that workers fetch over HTTP, beside bare routes that do the same writes. */
export const standaloneWorkers: Benchmark = {
  name: 'workers',
  deployment: 'standalone',
  rows: [],
  rowsOf: ({ sizes }) => rowsOf(sizes.parkedPolls),
  rivals: {
    ours: async (bench) => {
      const site = await openStandalone(bench, { name: 'workers' });
      return workRival(site, bench, true);
    },
    floor: async (bench) => workRival(await openWorkerFloor(bench), bench, false),
  },
};

function rowsOf(parked: number): readonly RowPlan[] {
  const polls = `${parked.toLocaleString('en-US')} parked polls`;
  return [
    { ...RATE, name: 'claims and outcomes', unit: 'actions/s', metric: 'actions', goal: 0.5 },
    { ...RATE, name: 'hold', unit: 'items/s', metric: 'held' },
    { ...RATE, name: 'outcomes', unit: 'requests/s', metric: 'told', goal: 0.5 },
    { name: 'poll to outcome told p50', unit: 'ms', metric: 'p50', better: 'less', limit: 5 },
    {
      name: `processor time of ${polls}`,
      unit: '% of a core',
      metric: 'parked',
      beside: 'none',
      better: 'less',
      limit: 5,
    },
  ];
}

/** `isOurs`: a floor has nothing to do for polls that wait. */
async function workRival(site: Site, bench: Bench, isOurs: boolean): Promise<Rival> {
  const { folder, sizes } = bench;
  const load = await Program.start({ program: 'programs/work-load', name: 'workers', folder });
  const stage: Stage = { site, load, bench };
  return {
    stop: async () => {
      await load.stop();
      await site.stop();
    },
    measure: async (brief = false) => ({
      ...(await measureWork(stage, brief ? sizes.warmUpMs : sizes.roundMs)),
      ...(await measureHold(stage)),
      ...(brief ? {} : await measurePaced(stage)),
      ...(isOurs && !brief ? await measureParked(stage) : {}),
    }),
  };
}

interface Stage {
  readonly site: Site;
  readonly load: Program;
  readonly bench: Bench;
}

/** Workers at full speed. */
async function measureWork({ bench, load, site }: Stage, ms: number): Promise<Readings> {
  const { inFlight, workerSlots: slots, workers } = bench.sizes;
  const crew: Crew = { url: await site.url(), module: 'worked', workers, slots };
  await load.ask('introduce', crew);
  await load.ask('work', crew);
  const { perSecond } = await site.drive({ kind: 'full', flow: 'bench-worked', ms, inFlight });
  await load.ask('rest');
  return { actions: perSecond * STEPS };
}

/** Everything that is ready, taken by polls of many items, and told to be done. */
async function measureHold({ bench, load, site }: Stage): Promise<Readings> {
  const count = bench.sizes.heldActions;
  const url = await site.url();
  await load.ask('introduce', { url, module: 'held' });
  await site.handIn({ flow: 'bench-held', count });
  const grab: Grab = { url, module: 'held', connections: GRABBERS, max: MANY, count };
  const held = await load.ask<number>('grab', grab);
  return { held, told: await load.ask<number>('finish', url) };
}

/** One worker, and tasks at a fixed pace. */
async function measurePaced({ bench, load, site }: Stage): Promise<Readings> {
  const { pacedMs: ms, pacedPerSecond: perSecond } = bench.sizes;
  const crew: Crew = { url: await site.url(), module: 'worked', workers: 1, slots: 1 };
  await load.ask('work', crew);
  await site.drive({ kind: 'paced', flow: 'bench-worked', ms, perSecond });
  const times = await load.ask<readonly number[]>('rest');
  return { p50: quantile(times, 0.5) };
}

/** Polls that get nothing. */
async function measureParked({ bench, load, site }: Stage): Promise<Readings> {
  const { parkedMs, parkedPolls: workers } = bench.sizes;
  const crew: Crew = { url: await site.url(), module: 'parked', workers, slots: 1 };
  await load.ask('park', crew);
  // They have been registered by then.
  await delay(parkedMs);
  const before = await site.usage();
  await delay(parkedMs);
  const after = await site.usage();
  await load.ask('rest');
  return { parked: ((after.cpuUs - before.cpuUs) / (parkedMs * 1_000)) * 100 };
}
