import type { Readings } from './benchmark.js';
import type { Program } from './program.js';
import type { Stamp } from './programs/bench-module.js';
import type { Load, Loaded } from './programs/load.js';
import type { Site } from './site.js';
import { PARAMETERS, type Sizes, STEPS } from './sizes.js';
import { quantile } from './statistics.js';

const MEBIBYTE = 2 ** 20;

/** Tasks at full speed: how many, and what they cost. */
export async function measureThroughput(
  site: Site,
  { flow, ms, inFlight }: { flow: string; ms: number; inFlight: number },
): Promise<Readings> {
  const { perSecond, shares, tasks } = await site.drive({ kind: 'full', flow, ms, inFlight });
  const usages = Object.values(shares);
  const cpuUs = usages.reduce((sum, usage) => sum + usage.cpuUs, 0);
  const memory = usages.reduce((sum, usage) => sum + usage.memoryBytes, 0);
  const readings: Record<string, number> = {
    tasks: perSecond,
    steps: perSecond * STEPS,
    // Seconds of 1,000 tasks are milliseconds of one.
    cpu: cpuUs / tasks / 1_000,
    memory: memory / MEBIBYTE,
  };
  for (const [name, usage] of Object.entries(shares)) {
    readings[`time.${name}`] = usage.cpuUs / tasks;
    if (usage.mainUs === undefined || name !== 'process') continue;
    readings['time.  main thread'] = usage.mainUs / tasks;
    readings['time.  busiest other thread'] = (usage.workerUs ?? 0) / tasks;
  }
  return readings;
}

/** How tasks come while hand-overs are measured. */
export type HandOverWay = 'alone' | 'paced';

/** From the end of one step's command to the start of the next one's, in milliseconds. */
export async function measureHandOver(
  site: Site,
  sizes: Sizes,
  ways: readonly HandOverWay[],
): Promise<Readings> {
  const flow = 'bench-stamped';
  const { aloneTasks: tasks, pacedMs: ms, pacedPerSecond: perSecond } = sizes;
  const drives = {
    alone: { kind: 'alone', flow, tasks },
    paced: { kind: 'paced', flow, ms, perSecond },
  } as const;
  const readings: Record<string, number> = {};
  await site.stamps();
  for (const way of ways) {
    await site.drive(drives[way]);
    const times = handOversOf(await site.stamps());
    readings[`${way} p50`] = quantile(times, 0.5);
    readings[`${way} p99`] = quantile(times, 0.99);
  }
  return readings;
}

/** Requests per second: create, get tasks of these ids, list. */
export async function measureHttp(
  { load, site }: { readonly site: Site; readonly load: Program },
  { connections, ids, ms }: { connections: number; ids: readonly string[]; ms: number },
): Promise<Readings> {
  const url = await site.url();
  const perSecond = async (more: Omit<Load, 'url' | 'connections' | 'ms'>): Promise<number> => {
    const asked: Load = { url, connections, ms, ...more };
    return (await load.ask<Loaded>('load', asked)).perSecond;
  };
  const body = { flow: 'bench-waiting', parameters: PARAMETERS };
  const create = await perSecond({ paths: ['/v1/tasks'], body });
  const get = await perSecond({ paths: ids.map((id) => `/v1/tasks/${id}`) });
  // A store that cannot sort so many tasks in time refuses: only what it answers counts.
  const list = await perSecond({ paths: ['/v1/tasks?limit=20'], mayFail: true });
  return { create, get, list };
}

function handOversOf(stamps: readonly Stamp[]): readonly number[] {
  const ended = new Map(stamps.map(([taskId, cursor, , end]) => [`${taskId} ${cursor}`, end]));
  return stamps.flatMap(([taskId, cursor, began]) => {
    const end = ended.get(`${taskId} ${cursor - 1}`);
    return end === undefined ? [] : [(began - end) / 1_000];
  });
}
