import path from 'node:path';
import { MODULES, Stack, type StackOptions, type WrittenSettings } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import { brokerBlows, brokerDeaths } from './broker-faults.js';
import { clockJumps, clocksApart, startedWrong } from './clock-faults.js';
import { FakeClocks } from './fake-clocks.js';
import type { Hold } from './hold.js';
import { lineBlows, lostLine } from './line-faults.js';
import { frozen, killed, replaced } from './process-faults.js';
import { mongoBlows } from './store-faults.js';

/** A distributed set in which everything can be broken. */
export interface DistributedTarget {
  readonly stack: Stack;
  readonly clocks: FakeClocks;
}

/** Options of such a set. */
export interface DistributedOptions extends Pick<StackOptions, 'executors' | 'gateways'> {
  readonly folder: string;
  readonly settings: WrittenSettings;
}

/**
 * Starts a set with a proxy before each server and a clock of its own for each process. Queues that
 * a broker older than 3.12 leaves without a leader are made again: nobody is there to do it.
 */
export async function startDistributed(options: DistributedOptions): Promise<DistributedTarget> {
  const clocks = new FakeClocks(path.join(options.folder, 'clocks'));
  const environmentOf = (name: string) => clocks.environmentOf(name);
  const settings: WrittenSettings = { rebuildQueues: 'on', ...options.settings };
  const stack = await Stack.start({ ...options, settings, proxied: true, environmentOf });
  return { stack, clocks };
}

/** Every blow to the lines between the set and its servers. */
export function blowsToLines({ stack }: DistributedTarget, hold: Hold): readonly Blow[] {
  const { mongo, rabbitmq } = stack.lines;
  return [
    ...lineBlows('RabbitMQ', rabbitmq, hold),
    lostLine('RabbitMQ', rabbitmq, hold),
    ...lineBlows('MongoDB', mongo, hold),
    lostLine('MongoDB', mongo, hold),
  ];
}

/** Every blow there is for such a set. */
export function distributedBlows(target: DistributedTarget, hold: Hold): readonly Blow[] {
  const { clocks, stack } = target;
  const { mongo, rabbitmq } = stack.servers;
  const executors = MODULES.flatMap((name) => stack.executors[name]);
  return [
    ...blowsToLines(target, hold),
    ...brokerBlows(rabbitmq, hold),
    ...brokerDeaths(rabbitmq),
    ...mongoBlows(mongo, hold),
    clocksApart(stack.processes, clocks, hold),
    ...stack.processes.flatMap((process) => [
      killed(process),
      replaced(process),
      startedWrong(process, clocks, hold),
      ...clockJumps(process, clocks, hold),
    ]),
    ...executors.map((process) => frozen(process, hold)),
  ];
}
