import { type Absent, type Bench, type Benchmark, type Rival, type RowPlan } from '../benchmark.js';
import { handOverRival, httpRival, throughputRival } from '../rival.js';
import { openBullmq } from '../peers/open-bullmq.js';
import { openHttpFloor, openSqliteFloor, openStandalone } from '../standalone-site.js';

/** Tasks and steps per second and what they cost, beside the bare store and beside BullMQ. */
export const standaloneThroughput: Benchmark = {
  name: 'throughput',
  deployment: 'standalone',
  rows: [
    { name: 'throughput', unit: 'tasks/s', metric: 'tasks', better: 'more', goal: 0.7 },
    { name: 'step throughput', unit: 'steps/s', metric: 'steps', better: 'more', goal: 0.7 },
    ...besideBullmq('everysec', 2.5),
    ...besideBullmq('always', 4),
    { name: 'processor time', unit: 'CPU-s/1,000 tasks', metric: 'cpu', better: 'less' },
    { name: 'memory', unit: 'MiB', metric: 'memory', better: 'less' },
  ],
  rivals: {
    ours: async (bench) => throughputRival(await openStandalone(bench, { name: 'ours' }), bench),
    floor: async (bench) => throughputRival(await openSqliteFloor(bench), bench),
    'BullMQ everysec': (bench) => bullmqRival(bench, 'everysec'),
    'BullMQ always': (bench) => bullmqRival(bench, 'always'),
  },
};

/** From step to step: ours beside one durable update of the bare store. */
export const standaloneHandOver: Benchmark = {
  name: 'hand-over',
  deployment: 'standalone',
  rows: handOverRows(1),
  rivals: {
    ours: async (bench) => handOverRival(await openStandalone(bench, { name: 'steps' }), bench),
    floor: async (bench) => handOverRival(await openSqliteFloor(bench), bench),
  },
};

/** Requests per second beside bare routes that do the same store work. */
export const standaloneHttp: Benchmark = {
  name: 'http',
  deployment: 'standalone',
  rows: httpRows({ create: 15_000, get: 16_500, list: undefined }),
  rivals: {
    ours: async (bench) => httpRival(await openStandalone(bench, { name: 'http' }), bench),
    floor: async (bench) => httpRival(await openHttpFloor(bench), bench),
  },
};

/**
 * Rows of hand-over times. `goal`: of the median beside its floor, in rows of their own, because
 * either a goal or a limit is enough for a row that has both.
 */
export function handOverRows(limitMs: number, goal?: number): readonly RowPlan[] {
  const row = { unit: 'ms', better: 'less' } as const;
  return [
    { name: 'hand-over alone p50', metric: 'alone p50', ...row, limit: limitMs },
    { name: 'hand-over alone p99', metric: 'alone p99', ...row },
    { name: 'hand-over at 20/s p50', metric: 'paced p50', ...row, limit: limitMs },
    { name: 'hand-over at 20/s p99', metric: 'paced p99', ...row },
    ...(goal === undefined
      ? []
      : [
          { name: 'hand-over alone beside floor', metric: 'alone p50', ...row, goal },
          { name: 'hand-over at 20/s beside floor', metric: 'paced p50', ...row, goal },
        ]),
  ];
}

type HttpMetric = 'create' | 'get' | 'list';

/** Rows of requests over HTTP; those named in `limits` have a goal, and some a limit besides. */
export function httpRows(
  limits: Readonly<Partial<Record<HttpMetric, number | undefined>>>,
): readonly RowPlan[] {
  return (['create', 'get', 'list'] as const).map((metric) => {
    const row = { name: metric, unit: 'requests/s', metric, better: 'more' } as const;
    if (!(metric in limits)) return row;
    const limit = limits[metric];
    return { ...row, goal: 0.6, ...(limit !== undefined && { limit }) };
  });
}

function besideBullmq(appendfsync: string, goal: number): readonly RowPlan[] {
  const beside = `BullMQ ${appendfsync}`;
  const name = `beside ${beside}`;
  return [
    { name: `throughput ${name}`, unit: 'tasks/s', metric: 'tasks', beside, better: 'more', goal },
    {
      name: `processor time ${name}`,
      unit: 'CPU-s/1,000 tasks',
      metric: 'cpu',
      beside,
      better: 'less',
    },
  ];
}

async function bullmqRival(
  bench: Bench,
  appendfsync: 'always' | 'everysec',
): Promise<Rival | Absent> {
  const site = await openBullmq(bench, appendfsync);
  return 'absent' in site ? site : throughputRival(site, bench);
}
