import path from 'node:path';
import { freePort } from '../servers/free-ports.js';
import { isMissing, present, startMongo, startRabbitmq } from '../servers/index.js';
import { TcpProxy } from '../servers/index.js';
import type { Missing, MongoServer, RabbitmqServer, ServerOptions } from '../servers/index.js';
import { type AppName, AppProcess, type WrittenSettings } from './app-process.js';
import { portFor } from './ports.js';
import { REPOSITORY } from './repository.js';

/** Modules that have an executor of their own. */
export const MODULES = ['resource', 'mysql', 'monitor', 'lab'] as const;

/** A module with an executor of its own. */
export type ModuleName = (typeof MODULES)[number];

/** What a distributed set consists of. */
export interface StackOptions {
  /** For logs, instance directories and, where `keep` is set, the servers' data. */
  readonly folder: string;
  /** Whether the servers' data stays when the set is stopped. Default: false. */
  readonly keep?: boolean;
  /** Default: 1. */
  readonly gateways?: number;
  /** How many executors of each module. Default: 1 of each. */
  readonly executors?: { readonly [K in ModuleName]?: number };
  readonly settings?: WrittenSettings;
  /** In place of the apps' own entries; see `AppPlan`. */
  readonly entry?: string | undefined;
  /** From where on the usual ports are, where these are free. Default: ports of chance. */
  readonly portBase?: number;
  /** Whether a proxy stands before each server, to break the line. Default: false. */
  readonly proxied?: boolean;
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
}

/** The distributed set: broker, store, gateways and executors as processes of this machine. */
export class Stack {
  private constructor(
    readonly servers: StackServers,
    readonly gateways: readonly AppProcess[],
    readonly executors: Readonly<Record<ModuleName, readonly AppProcess[]>>,
    /** Shared by all executors: instance directories and side files. */
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
    const groups = await Promise.all(MODULES.map((name) => plan(name, executors[name] ?? 1)));
    const byModule = Object.fromEntries(MODULES.map((name, index) => [name, groups[index]]));
    const executorsOf = byModule as Stack['executors'];
    return new Stack(servers, await plan('oss', gateways), executorsOf, data, lines);
  }

  /** Gateways first. */
  get processes(): readonly AppProcess[] {
    return [...this.gateways, ...MODULES.flatMap((name) => this.executors[name])];
  }

  /** What stands before each server, where that was asked for. */
  get lines(): StackLines {
    if (this.proxies === undefined) throw new Error('no proxies were asked for');
    return this.proxies;
  }

  /** The first gateway's. */
  get url(): string {
    return this.gateways[0]!.url;
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
    const { mongo, rabbitmq } = this.servers;
    await Promise.all([mongo.stop(), rabbitmq.stop()]);
    await Promise.all(Object.values(this.proxies ?? {}).map((proxy: TcpProxy) => proxy.close()));
  }
}

async function openLines({ mongo, rabbitmq }: StackServers): Promise<StackLines> {
  return {
    mongo: await TcpProxy.openBefore(mongo.url),
    rabbitmq: await TcpProxy.openBefore(rabbitmq.amqpUrl),
  };
}

async function startServers({ folder, keep = false }: StackOptions): Promise<StackServers> {
  const started = async <T extends object>(start: Starter<T>, name: string): Promise<T> => {
    const kept = keep ? await start({ own: true, folder: path.join(folder, name) }) : undefined;
    // Containers keep nothing, and are better than nothing.
    return kept === undefined || isMissing(kept) ? present(await start({ own: true })) : kept;
  };
  const starts = [started(startMongo, 'mongo'), started(startRabbitmq, 'rabbitmq')] as const;
  try {
    const [mongo, rabbitmq] = await Promise.all(starts);
    return { mongo, rabbitmq };
  } catch (error) {
    for (const start of await Promise.allSettled(starts)) {
      if (start.status === 'fulfilled') await start.value.stop();
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
  const store = new URL('/backstep', servers.mongo.url).href;
  const settings: WrittenSettings = {
    store: lines?.mongo.through(store) ?? store,
    transport: lines?.rabbitmq.through(servers.rabbitmq.amqpUrl) ?? servers.rabbitmq.amqpUrl,
    flows: path.join(REPOSITORY, 'flow-configs'),
    lab: 'on',
    data,
    ...options.settings,
  };
  return (app: AppName, count: number): Promise<readonly AppProcess[]> => {
    const plans = Array.from({ length: count }, async (_, index) => {
      const usual = options.portBase !== undefined && index === 0;
      const port = usual ? await portFor(app, options.portBase) : await freePort();
      const name = count === 1 ? app : `${app}-${index + 1}`;
      const { environmentOf, folder, entry } = options;
      const environment = environmentOf?.(name) ?? {};
      return new AppProcess({ name, app, port, folder, settings, environment, entry });
    });
    return Promise.all(plans);
  };
}
