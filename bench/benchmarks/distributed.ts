import type { Bench, Benchmark, RowPlan } from '../benchmark.js';
import {
  openBrokerFloor,
  openDistributed,
  openOnOwnHost,
  SharedPair,
} from '../distributed-site.js';
import { handOverRival, httpRival, onPair, throughputRival } from '../rival.js';
import type { Site } from '../site.js';
import { openHttpFloor } from '../standalone-site.js';
import { handOverRows, httpRows } from './standalone.js';

/** Every step in another module, so it travels; and all steps in one, where it need not. */
const FLOWS = { '': 'bench-modules', 'lab ': 'bench-lab' };

/** The same as standalone, on a store that has a write on disk before it acknowledges it. */
export const distributedThroughput = throughputOn({ syncOnCommit: true });

/** The same on a store that may lose the last moments in a power cut. */
export const distributedUnsynced = throughputOn({ syncOnCommit: false });

/** From step to step across the broker. */
export const distributedHandOver: Benchmark = {
  name: 'hand-over',
  deployment: 'distributed',
  rows: handOverRows(3, 1 / 1.35),
  rivals: pairRivals('steps', (site, bench) => handOverRival(site, bench)),
};

const httpPair = new SharedPair({ syncOnCommit: true });

/** Requests per second beside bare routes that write to the same server. */
export const distributedHttp: Benchmark = {
  name: 'http',
  deployment: 'distributed',
  rows: httpRows({}),
  rivals: {
    ours: (bench) =>
      onPair(httpPair, {
        name: 'http',
        open: (options) => openDistributed(bench, options),
        rival: (site) => httpRival(site, bench, bench.sizes.createsOnServer),
      }),
    floor: (bench) =>
      onPair(httpPair, {
        name: 'http-floor',
        open: ({ pair, release }) => {
          const { mongo, rabbitmq } = pair;
          const env = { FLOOR_MONGODB_URL: mongo.url, FLOOR_AMQP_URL: rabbitmq.amqpUrl };
          return openHttpFloor(bench, { env, release });
        },
        rival: (site) => httpRival(site, bench, bench.sizes.createsOnServer),
      }),
  },
};

const busyPair = new SharedPair({ syncOnCommit: true });

/** A module with fewer slots than tasks: steps of four priorities, beside steps of none. */
export const distributedPriorities: Benchmark = {
  name: 'priorities',
  deployment: 'distributed',
  rows: (
    [
      { name: 'throughput', unit: 'tasks/s', metric: 'tasks', better: 'more' },
      { name: 'processor time', unit: 'CPU-s/1,000 tasks', metric: 'cpu', better: 'less' },
    ] as const
  ).map((row) => ({ ...row, name: `${row.name}, priorities`, of: 'ranked', beside: 'plain' })),
  rivals: { ranked: busyRival('bench-ranked'), plain: busyRival('bench-lab') },
};

function busyRival(flow: string): Benchmark['rivals'][string] {
  return (bench) =>
    onPair(busyPair, {
      name: flow,
      open: (options) => openOnOwnHost(bench, { ...options, concurrency: 8 }),
      rival: (site) => throughputRival(site, bench, { '': flow }),
    });
}

function throughputOn({ syncOnCommit }: { syncOnCommit: boolean }): Benchmark {
  const how = syncOnCommit ? '' : ', store not synced';
  const rival = (site: Site, bench: Bench) => throughputRival(site, bench, FLOWS);
  return {
    name: `throughput${how}`,
    deployment: 'distributed',
    rows: throughputRows(how),
    rivals: pairRivals('tasks', rival, syncOnCommit),
  };
}

function throughputRows(how: string): readonly RowPlan[] {
  const rows: readonly RowPlan[] = [
    { name: 'throughput', unit: 'tasks/s', metric: 'tasks', better: 'more', goal: 0.8 },
    { name: 'step throughput', unit: 'steps/s', metric: 'steps', better: 'more', goal: 0.8 },
    { name: 'throughput in one module', unit: 'tasks/s', metric: 'lab tasks', better: 'more' },
    { name: 'processor time', unit: 'CPU-s/1,000 tasks', metric: 'cpu', better: 'less' },
    { name: 'memory', unit: 'MiB', metric: 'memory', better: 'less' },
  ];
  return rows.map((row) => ({ ...row, name: row.name + how }));
}

function pairRivals(
  name: string,
  rival: (site: Site, bench: Bench) => ReturnType<typeof handOverRival>,
  syncOnCommit = true,
): Benchmark['rivals'] {
  const shared = new SharedPair({ syncOnCommit });
  return {
    ours: (bench) =>
      onPair(shared, {
        name,
        open: (options) => openDistributed(bench, options),
        rival: (site) => rival(site, bench),
      }),
    floor: (bench) =>
      onPair(shared, {
        name: `${name}-floor`,
        open: (options) => openBrokerFloor(bench, options),
        rival: (site) => rival(site, bench),
      }),
  };
}
