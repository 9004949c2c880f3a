import {
  distributedBlows,
  type Hold,
  standaloneBlows,
  startDistributed,
  startStandalone,
} from '../faults/index.js';
import type { AppProcess, DeploymentKind, WrittenSettings } from '../stack/index.js';
import type { Blow } from '../storm/index.js';

/** A deployment under test, whatever it consists of. */
export interface SoakTarget {
  readonly urls: readonly string[];
  readonly hostsUrl: string;
  readonly data: string;
  readonly processes: readonly AppProcess[];
  /** Everything that can be done to it. */
  readonly blows: readonly Blow[];
  /** Tasks a second that it bears on two cores. */
  readonly perSecond: number;
  /** The clock that its tasks use. The store's is right: then nobody may be called for a clock. */
  readonly clock: 'machine' | 'store';
  stop(): Promise<void>;
}

/** Options of a target. */
export interface TargetOptions {
  readonly folder: string;
  readonly settings: WrittenSettings;
  readonly hold: Hold;
}

/** Starts a deployment of one kind or the other. */
export function startTarget(kind: DeploymentKind, options: TargetOptions): Promise<SoakTarget> {
  return kind === 'standalone' ? soakStandalone(options) : soakDistributed(options);
}

async function soakStandalone({ hold, ...options }: TargetOptions): Promise<SoakTarget> {
  const target = await startStandalone(options);
  const { data, process } = target;
  return {
    urls: [process.url],
    hostsUrl: process.url,
    data,
    processes: [process],
    blows: standaloneBlows(target, hold),
    perSecond: 20,
    clock: 'machine',
    stop: () => target.stop(),
  };
}

async function soakDistributed({ hold, ...options }: TargetOptions): Promise<SoakTarget> {
  const target = await startDistributed(options);
  const { stack } = target;
  return {
    urls: stack.gateways.map(({ url }) => url),
    hostsUrl: stack.hostsUrl,
    data: stack.data,
    processes: stack.processes,
    blows: distributedBlows(target, hold),
    perSecond: 10,
    clock: 'store',
    stop: () => stack.stop(),
  };
}
