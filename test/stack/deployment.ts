import path from 'node:path';
import type { AppName, AppProcess, WrittenSettings } from './app-process.js';
import { Stack } from './stack.js';
import { planStandalone } from './standalone.js';

/** The two ways in which Backstep is run, and the servers that each needs. */
export const DEPLOYMENTS = [
  { kind: 'standalone', servers: [] },
  { kind: 'distributed', servers: ['mongo', 'rabbitmq'] },
] as const;

/** How Backstep is run. */
export type DeploymentKind = (typeof DEPLOYMENTS)[number]['kind'];

/** A running Backstep, whatever it consists of. */
export interface Deployment {
  readonly url: string;
  /** Where the page of the hosts is. */
  readonly hostsUrl: string;
  /** Where the page of the practice effects is. */
  readonly effectsUrl: string;
  /** Where the instance directories are. */
  readonly data: string;
  readonly processes: readonly AppProcess[];
  /** The process that does what an app does: in a standalone Backstep, the only one. */
  processOf(app: AppName): AppProcess;
  stop(): Promise<unknown>;
}

/** What either way of running Backstep is started with. */
export interface DeploymentOptions {
  readonly folder: string;
  readonly settings?: WrittenSettings;
  /** In place of the apps' own entries; see `AppPlan`. */
  readonly entry?: string;
}

/** Starts Backstep in one way or the other; resolves when it is ready. */
export async function startDeployment(
  kind: DeploymentKind,
  options: DeploymentOptions,
): Promise<Deployment> {
  return kind === 'standalone' ? startStandalone(options) : startDistributed(options);
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

async function startDistributed(options: DeploymentOptions): Promise<Deployment> {
  const stack = await Stack.start(options);
  const { data, effectsUrl, hostsUrl, processes, url } = stack;
  const processOf = (wanted: AppName): AppProcess => {
    const found = processes.find(({ app }) => app === wanted);
    if (!found) throw new Error(`a distributed Backstep has no process ${wanted}`);
    return found;
  };
  return { url, hostsUrl, effectsUrl, data, processes, processOf, stop: () => stack.stop() };
}
