import type { Readings } from './benchmark.js';
import type { Program } from './program.js';
import type { Stamp } from './programs/bench-module.js';
import type { Load, Loaded } from './programs/load.js';
import type { Site } from './site.js';
import { PARAMETERS, type Sizes, STEPS } from './sizes.js';
import { quantile } from './statistics.js';

const MEBIBYTE = 2 ** 20;
const LIST = '/v1/tasks?limit=20';

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

/** The load of an HTTP measurement. */
export interface HttpLoad {
  readonly connections: number;
  readonly ms: number;
  /** Tasks to get. */
  readonly ids: readonly string[];
  /** Tasks to create: where the set takes them faster than it starts them, not by time. */
  readonly creates: number | undefined;
  /** Pages to list one after another: a server that sorts works on when nobody waits any more. */
  readonly lists: number | undefined;
}

/** Requests per second: create, get tasks of these ids, list. */
export async function measureHttp(
  { load, site }: { readonly site: Site; readonly load: Program },
  { connections, creates, ids, lists, ms }: HttpLoad,
): Promise<Readings> {
  const url = await site.url();
  const ask = (more: Pick<Load, 'paths'> & Partial<Load>): Promise<Loaded> =>
    load.ask<Loaded>('load', { url, connections, ms, ...more } satisfies Load);
  const body = { flow: 'bench-waiting', parameters: PARAMETERS };
  const before = await site.waits();
  const create = await ask({ paths: ['/v1/tasks'], body, amount: creates });
  // Tasks that have not started yet would distort the next measurement.
  await site.untilWaits(before + create.answers);
  const get = await ask({ paths: ids.map((id) => `/v1/tasks/${id}`) });
  // A store that cannot sort these tasks in time refuses: only what it answers counts.
  const few = lists === undefined ? {} : { amount: lists, connections: 1 };
  const list = await ask({ paths: [LIST], mayFail: true, ...few });
  return { create: create.perSecond, get: get.perSecond, list: list.perSecond };
}

function handOversOf(stamps: readonly Stamp[]): readonly number[] {
  const ended = new Map(stamps.map(([taskId, cursor, , end]) => [`${taskId} ${cursor}`, end]));
  return stamps.flatMap(([taskId, cursor, began]) => {
    const end = ended.get(`${taskId} ${cursor - 1}`);
    return end === undefined ? [] : [(began - end) / 1_000];
  });
}
