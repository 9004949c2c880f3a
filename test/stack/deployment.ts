import type { AppProcess, WrittenSettings } from './app-process.js';
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
  /** The process that tells people. */
  readonly monitor: AppProcess;
  stop(): Promise<unknown>;
}

/** Starts Backstep in one way or the other; resolves when it is ready. */
export async function startDeployment(
  kind: DeploymentKind,
  options: { readonly folder: string; readonly settings?: WrittenSettings },
): Promise<Deployment> {
  return kind === 'standalone' ? startStandalone(options) : startDistributed(options);
}

type Options = Parameters<typeof startDeployment>[1];

async function startStandalone(options: Options): Promise<Deployment> {
  const process = await planStandalone(options);
  await process.start();
  const { url } = process;
  return { url, hostsUrl: url, effectsUrl: url, monitor: process, stop: () => process.kill() };
}

async function startDistributed(options: Options): Promise<Deployment> {
  const stack = await Stack.start(options);
  const { effectsUrl, executors, hostsUrl, url } = stack;
  const monitor = executors.monitor[0]!;
  return { url, hostsUrl, effectsUrl, monitor, stop: () => stack.stop() };
}
