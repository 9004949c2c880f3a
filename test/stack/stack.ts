import path from 'node:path';
import { freePort } from '../servers/free-ports.js';
import { isMissing, present, startMariadb, startMongo, startRabbitmq } from '../servers/index.js';
import { TcpProxy } from '../servers/index.js';
import type {
  MariadbServer,
  Missing,
  MongoServer,
  RabbitmqServer,
  ServerOptions,
} from '../servers/index.js';
import { type AppName, AppProcess, type WrittenSettings } from './app-process.js';
import { portFor } from './ports.js';
import { REPOSITORY } from './repository.js';
import { instancesIn } from './server-instances.js';

/** Path of the set's database, in URLs. */
export const DATABASE = '/backstep';

/** Modules that have an executor in every set: what goes wrong in a test happens to these. */
export const MODULES = ['resource', 'mysql', 'monitor', 'lab'] as const;

/** Every module that has an executor of its own. */
export const ALL_MODULES = [...MODULES, 'http'] as const;

/** The key with which an independent set encrypts passwords. */
export const SECRET_KEY = Buffer.alloc(32, 'a key of a test').toString('base64');

/** A module with an executor of its own. */
export type ModuleName = (typeof ALL_MODULES)[number];

const ONE_OF_EACH = { resource: 1, mysql: 1, monitor: 1, lab: 1, http: 0 };

/** Options of a distributed set. */
export interface StackOptions {
  /** For logs, instance directories and, where `keep` is set, the servers' data. */
  readonly folder: string;
  /** Whether the servers' data stays when the set is stopped. Default: false. */
  readonly keep?: boolean;
  /** Default: 1. */
  readonly gateways?: number;
  /** How many executors of each module. Default: 1 of each in `MODULES`, and none of `http`. */
  readonly executors?: { readonly [K in ModuleName]?: number };
  /**
   * Whether every process is as on a machine of its own: a data folder each, and instances on a
   * MariaDB. Only the copies of `lab`, which is for one machine, share a folder. Default: all share
   * one, and instances are in the sandbox.
   */
  readonly independent?: boolean;
  readonly settings?: WrittenSettings;
  /** In place of the apps' own entries; see `AppPlan`. */
  readonly entry?: string | undefined;
  /** From where on the usual ports are, where these are free. Default: ports of chance. */
  readonly portBase?: number;
  /** Whether a proxy stands before each server, to break the line. Default: false. */
  readonly proxied?: boolean;
  /** The address that every process listens at; see `AppPlan`. */
  readonly listenAt?: string;
  /** More variables for a process, by its name. */
  readonly environmentOf?: (name: string) => Readonly<Record<string, string>>;
}

/** The lines between the processes of Backstep and their servers. */
export interface StackLines {
  readonly mongo: TcpProxy;
  readonly rabbitmq: TcpProxy;
}

/** The servers of a distributed set. */
export interface StackServers {
  readonly mongo: MongoServer;
  readonly rabbitmq: RabbitmqServer;
  /** Where instances are made, if not in the sandbox. */
  readonly mariadb?: MariadbServer;
}

/** The distributed set: broker, store, gateways and executors as processes of this machine. */
export class Stack {
  private constructor(
    readonly servers: StackServers,
    readonly gateways: readonly AppProcess[],
    readonly executors: Readonly<Record<ModuleName, readonly AppProcess[]>>,
    /** Instance directories and side files; of an independent set, the folders of its processes. */
    readonly data: string,
    private readonly proxies: StackLines | undefined,
  ) {}

  /** Starts everything; resolves when all of it is ready. */
  static async start(options: StackOptions): Promise<Stack> {
    const stack = await Stack.#plan(await startServers(options), options);
    try {
      for (const process of stack.processes) process.launch();
      await Promise.all(stack.processes.map((process) => process.untilReady()));
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  static async #plan(servers: StackServers, options: StackOptions): Promise<Stack> {
    const { executors = {}, folder, gateways = 1 } = options;
    const data = path.join(folder, 'data');
    const lines = options.proxied ? await openLines(servers) : undefined;
    const plan = processesOf({ servers, options, data, lines });
    const counts = { ...ONE_OF_EACH, ...executors };
    const groups = await Promise.all(ALL_MODULES.map((name) => plan(name, counts[name])));
    const byModule = Object.fromEntries(ALL_MODULES.map((name, index) => [name, groups[index]]));
    const executorsOf = byModule as Stack['executors'];
    return new Stack(servers, await plan('oss', gateways), executorsOf, data, lines);
  }

  /** Gateways first. */
  get processes(): readonly AppProcess[] {
    return [...this.gateways, ...ALL_MODULES.flatMap((name) => this.executors[name])];
  }

  /** The proxies before each server, where they were asked for; throws where they were not. */
  get lines(): StackLines {
    if (this.proxies === undefined) throw new Error('no proxies were asked for');
    return this.proxies;
  }

  /** The first gateway's. */
  get url(): string {
    return this.gateways[0]!.url;
  }

  /**
   * Names of the instances that there are on a server; undefined where they are directories in
   * {@link data}.
   */
  get instances(): (() => Promise<readonly string[]>) | undefined {
    const { mariadb } = this.servers;
    return mariadb === undefined ? undefined : () => instancesIn(mariadb.url);
  }

  /** Where the page of the hosts is. */
  get hostsUrl(): string {
    return this.executors.resource[0]!.url;
  }

  /** Where the page of the practice effects is. */
  get effectsUrl(): string {
    return this.executors.lab[0]!.url;
  }

  /** Stops everything: in order, or as quickly as it goes. */
  async stop({ orderly = false } = {}): Promise<void> {
    const stops = this.processes.map((process) => (orderly ? process.terminate() : process.kill()));
    await Promise.all(stops);
    await Promise.all(Object.values(this.servers).map((server: MongoServer) => server.stop()));
    await Promise.all(Object.values(this.proxies ?? {}).map((proxy: TcpProxy) => proxy.close()));
  }
}

async function openLines({ mongo, rabbitmq }: StackServers): Promise<StackLines> {
  return {
    mongo: await TcpProxy.openBefore(mongo.url),
    rabbitmq: await TcpProxy.openBefore(rabbitmq.amqpUrl),
  };
}

async function startServers({
  folder,
  independent = false,
  keep = false,
}: StackOptions): Promise<StackServers> {
  const started = async <T extends object>(start: Starter<T>, name: string): Promise<T> => {
    const kept = keep ? await start({ own: true, folder: path.join(folder, name) }) : undefined;
    // Containers keep nothing, and are better than nothing.
    return kept === undefined || isMissing(kept) ? present(await start({ own: true })) : kept;
  };
  const starts = [
    started(startMongo, 'mongo'),
    started(startRabbitmq, 'rabbitmq'),
    independent ? started(startMariadb, 'mariadb') : Promise.resolve(undefined),
  ] as const;
  try {
    const [mongo, rabbitmq, mariadb] = await Promise.all(starts);
    return { mongo, rabbitmq, ...(mariadb !== undefined && { mariadb }) };
  } catch (error) {
    for (const start of await Promise.allSettled(starts)) {
      if (start.status === 'fulfilled') await start.value?.stop();
    }
    throw error;
  }
}

type Starter<T> = (options: ServerOptions) => Promise<T | Missing>;

interface PlanParts {
  readonly servers: StackServers;
  readonly options: StackOptions;
  readonly data: string;
  readonly lines: StackLines | undefined;
}

function processesOf({ servers, options, data, lines }: PlanParts) {
  const store = new URL(DATABASE, servers.mongo.url).href;
  const settings: WrittenSettings = {
    store: lines?.mongo.through(store) ?? store,
    transport: lines?.rabbitmq.through(servers.rabbitmq.amqpUrl) ?? servers.rabbitmq.amqpUrl,
    flows: path.join(REPOSITORY, 'flow-configs'),
    lab: 'on',
    ...instancesOn(servers.mariadb),
    ...options.settings,
  };
  const folderOf = (app: AppName, name: string): string =>
    options.independent && app !== 'lab' ? path.join(data, name) : data;
  return (app: AppName, count: number): Promise<readonly AppProcess[]> => {
    const plans = Array.from({ length: count }, async (_, index) => {
      const usual = options.portBase !== undefined && index === 0;
      const port = usual ? await portFor(app, options.portBase) : await freePort();
      const name = count === 1 ? app : `${app}-${index + 1}`;
      const { environmentOf, folder, entry, listenAt } = options;
      const environment = environmentOf?.(name) ?? {};
      const own = { data: folderOf(app, name), ...settings };
      const place = { name, app, port, listenAt, folder };
      return new AppProcess({ ...place, settings: own, environment, entry });
    });
    return Promise.all(plans);
  };
}

/** Settings of who makes instances on a server. */
function instancesOn(mariadb: MariadbServer | undefined): WrittenSettings {
  if (mariadb === undefined) return {};
  return { mysqlProvider: 'server', mysqlUrl: mariadb.url, secretKey: SECRET_KEY };
}
