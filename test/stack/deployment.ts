import path from 'node:path';
import type { ServerName } from '../servers/index.js';
import type { AppName, AppProcess, WrittenSettings } from './app-process.js';
import { Stack, type StackOptions } from './stack.js';
import { planStandalone } from './standalone.js';

/** How Backstep is run. */
export type DeploymentKind = 'standalone' | 'distributed' | 'independent';

/** A way to run Backstep, and the servers that it needs. */
export interface DeploymentPlan {
  readonly kind: DeploymentKind;
  readonly servers: readonly ServerName[];
}

/** Everything in one process. */
export const STANDALONE: DeploymentPlan = { kind: 'standalone', servers: [] };

/** A process for each module, on one machine. */
export const DISTRIBUTED: DeploymentPlan = { kind: 'distributed', servers: ['mongo', 'rabbitmq'] };

/** Two processes of each kind as on machines of their own; see `StackOptions.independent`. */
export const INDEPENDENT: DeploymentPlan = {
  kind: 'independent',
  servers: ['mongo', 'rabbitmq', 'mariadb'],
};

/**
 * The two ways in which specs run Backstep; with `BACKSTEP_TEST_INDEPENDENT=on` the whole suite of
 * the distributed set meets two processes of each kind instead of one.
 */
export const DEPLOYMENTS: readonly DeploymentPlan[] =
  process.env['BACKSTEP_TEST_INDEPENDENT'] === 'on' ? [INDEPENDENT] : [STANDALONE, DISTRIBUTED];

/** A running Backstep, whatever it consists of. */
export interface Deployment {
  readonly url: string;
  /** Where the page of the hosts is. */
  readonly hostsUrl: string;
  /** Where the page of the practice effects is. */
  readonly effectsUrl: string;
  /** Where the instance directories are. */
  readonly data: string;
  /** Names of the instances that there are, where they are no directories. */
  readonly instances?: (() => Promise<readonly string[]>) | undefined;
  readonly processes: readonly AppProcess[];
  /** The process that does what an app does: in a standalone Backstep, the only one. */
  processOf(app: AppName): AppProcess;
  stop(): Promise<unknown>;
}

/** Options of either way of running Backstep. */
export interface DeploymentOptions {
  readonly folder: string;
  readonly settings?: WrittenSettings;
  /** How many executors of each module, where each has a process of its own; see `StackOptions`. */
  readonly executors?: NonNullable<StackOptions['executors']>;
  /** More variables of every process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** In place of the apps' own entries; see `AppPlan`. */
  readonly entry?: string;
}

/** Starts Backstep in one way or the other; resolves when it is ready. */
export async function startDeployment(
  kind: DeploymentKind,
  options: DeploymentOptions,
): Promise<Deployment> {
  if (kind === 'standalone') return startStandalone(options);
  return startDistributed(options, kind === 'independent' ? TWO_OF_EACH : {});
}

async function startStandalone(options: DeploymentOptions): Promise<Deployment> {
  const process = await planStandalone(options);
  await process.start();
  const { url } = process;
  return {
    url,
    hostsUrl: url,
    effectsUrl: url,
    data: path.join(options.folder, 'data'),
    processes: [process],
    processOf: () => process,
    stop: () => process.kill(),
  };
}

const TWO_OF_EACH: Partial<StackOptions> = {
  independent: true,
  gateways: 2,
  executors: { resource: 2, mysql: 2, monitor: 2, lab: 2 },
};

async function startDistributed(
  options: DeploymentOptions,
  more: Partial<StackOptions>,
): Promise<Deployment> {
  const { environment = {}, ...rest } = options;
  const stack = await Stack.start({ ...rest, ...more, environmentOf: () => environment });
  const { data, effectsUrl, hostsUrl, instances, processes, url } = stack;
  const processOf = (wanted: AppName): AppProcess => {
    const found = processes.find(({ app }) => app === wanted);
    if (!found) throw new Error(`a distributed Backstep has no process ${wanted}`);
    return found;
  };
  const places = { url, hostsUrl, effectsUrl, data, instances };
  return { ...places, processes, processOf, stop: () => stack.stop() };
}
