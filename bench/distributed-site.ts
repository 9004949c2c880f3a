import path from 'node:path';
import { isMissing, type MongoServer, type RabbitmqServer } from '../test/servers/index.js';
import { startMongo, startRabbitmq } from '../test/servers/index.js';
import type { Absent, Bench } from './benchmark.js';
import { FLOOR_QUEUES } from './floors/broker-floor.js';
import { FLOWS } from './places.js';
import { Program } from './program.js';
import { Site } from './site.js';

/** The broker and the store of a distributed site. */
export interface Pair {
  readonly mongo: MongoServer;
  readonly rabbitmq: RabbitmqServer;
}

/** How a pair is started. */
export interface PairOptions {
  /** Whether a write is on disk before it is acknowledged. */
  readonly syncOnCommit: boolean;
}

/** Servers that the rivals of one benchmark share: started by the first, stopped by the last. */
export class SharedPair {
  #users = 0;
  #pair: Promise<Pair | Absent> | undefined;

  constructor(private readonly options: PairOptions) {}

  /** The servers, for one more user. */
  async take(): Promise<Pair | Absent> {
    this.#pair ??= startPair(this.options);
    const pair = await this.#pair;
    if ('absent' in pair) this.#pair = undefined;
    else this.#users += 1;
    return pair;
  }

  /** One user less. */
  release = async (): Promise<void> => {
    this.#users -= 1;
    if (this.#users > 0) return;
    const pair = await this.#pair;
    this.#pair = undefined;
    if (pair && !('absent' in pair)) await Promise.all([pair.mongo.stop(), pair.rabbitmq.stop()]);
  };
}

/** A gateway and three executors; each serves `lab` and one module of the bench. */
export async function openDistributed(
  bench: Bench,
  { amqpUrl, concurrency, pair, name, release }: SiteOptions,
): Promise<Site> {
  const folder = path.join(bench.folder, name);
  const start = (role: string, more: Record<string, string>): Promise<Program> =>
    Program.start({
      program: 'programs/backstep',
      name: `${role}-${more['BENCH_MODULES'] ?? ''}`,
      folder,
      env: {
        BENCH_ROLE: role,
        BACKSTEP_STORE: new URL(`/${name}`, pair.mongo.url).href,
        BACKSTEP_TRANSPORT: amqpUrl ?? pair.rabbitmq.amqpUrl,
        BACKSTEP_DATA: folder,
        BACKSTEP_FLOWS: FLOWS,
        BACKSTEP_HTTP: '127.0.0.1:0',
        BACKSTEP_LAB: 'on',
        ...(concurrency !== undefined && { BACKSTEP_CONCURRENCY: `${concurrency}` }),
        ...more,
      },
    });
  const modules = ['bench_a', 'bench_b', 'bench_c'];
  const programs = [
    start('gateway', {}),
    ...modules.map((module) => start('executor', { BENCH_MODULES: module })),
  ];
  return siteOf(programs, { pair, name, release });
}

/** The same on a virtual host of its own, because queues are named after modules. */
export async function openOnOwnHost(bench: Bench, options: SiteOptions): Promise<Site> {
  const { name, pair } = options;
  const { rabbitmq } = pair;
  await rabbitmq.ctl('add_vhost', name);
  await rabbitmq.ctl('set_permissions', '-p', name, 'guest', '.*', '.*', '.*');
  const amqpUrl = `${rabbitmq.amqpUrl.replace(/\/$/, '')}/${name}`;
  return openDistributed(bench, { ...options, amqpUrl });
}

/** The same number of processes with bare drivers. */
export function openBrokerFloor(bench: Bench, options: SiteOptions): Promise<Site> {
  const { name, pair } = options;
  const folder = path.join(bench.folder, name);
  const urls = { FLOOR_AMQP_URL: pair.rabbitmq.amqpUrl, FLOOR_MONGODB_URL: pair.mongo.url };
  const start = (queue?: string): Promise<Program> =>
    Program.start({
      program: 'programs/broker-floor',
      name: queue ?? 'gateway',
      folder,
      env: { ...urls, ...(queue !== undefined && { FLOOR_QUEUE: queue }) },
    });
  return siteOf([start(), ...[...new Set(FLOOR_QUEUES)].map(start)], options);
}

/** Options of a distributed site: its servers, its name, and how it releases them. */
export interface SiteOptions {
  readonly pair: Pair;
  /** Names its folder and its database. */
  readonly name: string;
  /** Default: the broker's own virtual host. */
  readonly amqpUrl?: string;
  /** Commands that an executor runs at a time. Default: that of Backstep. */
  readonly concurrency?: number;
  readonly release: () => Promise<void>;
}

async function siteOf(
  starting: readonly Promise<Program>[],
  { pair, release }: SiteOptions,
): Promise<Site> {
  const settled = await Promise.allSettled(starting);
  const programs = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(programs.map((program) => program.stop()));
    throw failed.reason;
  }
  const [lead, ...executors] = programs as [Program, ...Program[]];
  return Site.of({ lead, executors, servers: [pair.rabbitmq, pair.mongo], release });
}

async function startPair({ syncOnCommit }: PairOptions): Promise<Pair | Absent> {
  const [mongo, rabbitmq] = await Promise.all([
    startMongo({ own: true, syncOnCommit }),
    startRabbitmq({ own: true }),
  ]);
  if (!isMissing(mongo) && !isMissing(rabbitmq)) return { mongo, rabbitmq };
  const why: string[] = [];
  for (const server of [mongo, rabbitmq]) {
    if (isMissing(server)) why.push(`no ${server.missing}: ${server.why}`);
    else await server.stop();
  }
  return { absent: why.join('; ') };
}
