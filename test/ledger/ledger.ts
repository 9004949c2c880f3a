import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Api, effectsOf, type Order, type TaskView } from '../load/index.js';
import { effectFaults } from './effects.js';
import { hasEnded } from './ended.js';
import { journalFaults } from './journal.js';

/** Where the traces of a load are. */
export interface Traces {
  /** A gateway. */
  readonly url: string;
  /** Where the page of the hosts is. */
  readonly hostsUrl: string;
  /** Where the instance directories are. */
  readonly data: string;
  /** Names of the instances that there are, where they are no directories. */
  readonly instances?: (() => Promise<readonly string[]>) | undefined;
  /** Where the page of the practice effects is, if the load has such tasks. */
  readonly effectsUrl?: string;
  /** Tasks that are no concern of the load's. */
  readonly others?: ReadonlySet<string>;
  /** Flows with steps side by side: what a journal cannot have been is known of chains alone. */
  readonly wide?: ReadonlySet<string>;
}

interface Share {
  readonly total: number;
  readonly free: number;
}

interface HostView {
  readonly host: string;
  readonly cpu: Share;
  readonly memory: Share;
  readonly storage: Share;
  readonly allocations: readonly (Size & { readonly taskId: string })[];
}

interface Size {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
}

/** The faults after a load, by their meaning for the sender of the orders. */
export interface Verdict {
  /** Orders that were accepted, or should have been, and that have no task. */
  readonly lost: readonly string[];
  /** Tasks that have not ended. */
  readonly stuck: readonly string[];
  /** Everything that happened twice, half, in the wrong order or for nobody. */
  readonly wrong: readonly string[];
}

const KINDS = ['cpu', 'memory', 'storage'] as const;
const AT_ONCE = 16;

/**
 * The faults after a load of instances, and of practice tasks: tasks lost, made twice or not ended;
 * journals that cannot have been; resources, directories and practice effects that are not exactly
 * those of the tasks that succeeded. Looks at what the commands have left, not at what Backstep
 * says about it.
 */
export async function faultsAfter(
  orders: readonly Order[],
  traces: Traces,
): Promise<readonly string[]> {
  const { lost, stuck, wrong } = await judge(orders, traces);
  return [...lost, ...stuck, ...wrong];
}

/** The same faults, by kind. */
export async function judge(orders: readonly Order[], traces: Traces): Promise<Verdict> {
  const api = new Api(traces.url);
  const { others } = traces;
  const tasks = (await api.list()).filter(({ taskId }) => !others?.has(taskId));
  const { items: hosts } = await new Api(traces.hostsUrl).get<{ items: HostView[] }>(
    '/modules/resource/hosts',
  );
  const practice = tasks.filter(({ parameters }) => parameters['cpu'] === undefined);
  const instances = tasks.filter((task) => !practice.includes(task));
  const succeeded = instances.filter(({ status }) => status === 'succeeded');
  return {
    lost: lostOrders(orders, tasks),
    stuck: stuckTasks(tasks),
    wrong: [
      ...doubledTasks(
        orders,
        tasks.filter(({ parent }) => !parent),
      ),
      ...reportFaults(tasks),
      ...inventoryFaults(succeeded, hosts),
      ...instanceFaults(succeeded, await instancesOf(traces)),
      ...(await allEffectFaults(practice, traces.effectsUrl)),
      ...(await allJournalFaults(api, chainsAmong(tasks, traces))),
    ],
  };
}

/** The resources of the hosts that a task has. */
export async function allocationsOf(api: Api, taskId: string): Promise<readonly Size[]> {
  const { items } = await api.get<{ items: HostView[] }>('/modules/resource/hosts');
  const all = items.flatMap(({ allocations }) => allocations);
  return all.filter((allocation) => allocation.taskId === taskId);
}

/** How many tasks ended in which way: for people who read the output of a test. */
export function countByStatus(tasks: readonly TaskView[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function lostOrders(orders: readonly Order[], tasks: readonly TaskView[]): readonly string[] {
  const stored = new Set(tasks.map(({ taskId }) => taskId));
  return orders
    .filter(({ taskId }) => taskId === undefined || !stored.has(taskId))
    .map(({ key, taskId }) => `order ${key} was lost, task ${taskId}`);
}

function stuckTasks(tasks: readonly TaskView[]): readonly string[] {
  return tasks
    .filter((task) => !hasEnded(task))
    .map(({ status, taskId }) => `task ${taskId} is ${status}`);
}

function doubledTasks(orders: readonly Order[], tasks: readonly TaskView[]): readonly string[] {
  const accepted = new Set(orders.map(({ taskId }) => taskId));
  return [
    ...(accepted.size === orders.length ? [] : ['two orders became one task']),
    ...tasks
      .filter(({ taskId }) => !accepted.has(taskId))
      .map(({ taskId }) => `task ${taskId} was made twice or by nobody`),
  ];
}

/** Every task that did not succeed has one task of its failure flow, where that names one. */
function reportFaults(tasks: readonly TaskView[]): readonly string[] {
  return tasks.flatMap(({ failureFlow, status, taskId }) => {
    const reports = tasks.filter(({ parent }) => parent?.taskId === taskId);
    const isWanted = failureFlow ? status !== 'succeeded' : false;
    if (reports.length === (isWanted ? 1 : 0)) return [];
    return [`${status} task ${taskId} has ${reports.length} tasks of its failure flow`];
  });
}

function inventoryFaults(
  succeeded: readonly TaskView[],
  hosts: readonly HostView[],
): readonly string[] {
  const taken = new Map<string, Size[]>();
  for (const { taskId, ...size } of hosts.flatMap(({ allocations }) => allocations)) {
    taken.set(taskId, [...(taken.get(taskId) ?? []), size]);
  }
  const faults = succeeded.flatMap(({ parameters, taskId }) => {
    const mine = taken.get(taskId) ?? [];
    taken.delete(taskId);
    const fits = mine.length === 1 && KINDS.every((kind) => mine[0]![kind] === parameters[kind]);
    return fits ? [] : [`task ${taskId} succeeded and has ${JSON.stringify(mine)}`];
  });
  const strangers = [...taken.keys()].map((taskId) => `task ${taskId} has resources it may not`);
  return [...faults, ...strangers, ...hosts.flatMap(sumFaults)];
}

function sumFaults({ allocations, host, ...shares }: HostView): readonly string[] {
  return KINDS.flatMap((kind) => {
    const sum = allocations.reduce((total, allocation) => total + allocation[kind], 0);
    const { free, total } = shares[kind];
    return free + sum === total ? [] : [`${host}: ${kind} ${free} + ${sum} is not ${total}`];
  });
}

async function instancesOf({ data, instances }: Traces): Promise<readonly string[]> {
  if (instances !== undefined) return instances();
  const folders = await readdir(path.join(data, 'instances'));
  return folders.filter((name) => name !== '.staging');
}

function instanceFaults(
  succeeded: readonly TaskView[],
  instances: readonly string[],
): readonly string[] {
  const there = new Set(instances);
  const faults = succeeded.flatMap(({ steps, taskId }) => {
    const instance = String(steps.find(({ output }) => output?.['instance'])?.output?.['instance']);
    return there.delete(instance) ? [] : [`task ${taskId}: no instance ${instance}`];
  });
  return [...faults, ...[...there].map((name) => `instance ${name} belongs to nobody`)];
}

async function allEffectFaults(
  tasks: readonly TaskView[],
  url: string | undefined,
): Promise<readonly string[]> {
  if (url === undefined) return [];
  const api = new Api(url);
  return forAll(tasks, async (task) => effectFaults(task, await effectsOf(api, task.taskId)));
}

function chainsAmong(tasks: readonly TaskView[], { wide }: Traces): readonly TaskView[] {
  return wide === undefined ? tasks : tasks.filter(({ flow }) => !wide.has(flow));
}

function allJournalFaults(api: Api, tasks: readonly TaskView[]): Promise<readonly string[]> {
  return forAll(tasks, async (task) => journalFaults(task, await api.events(task.taskId)));
}

/** The faults of all tasks, some of which are looked at together. */
async function forAll(
  tasks: readonly TaskView[],
  look: (task: TaskView) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const queue = [...tasks];
  const faults: string[] = [];
  const work = async (): Promise<void> => {
    for (let task = queue.pop(); task !== undefined; task = queue.pop()) {
      faults.push(...(await look(task)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults;
}
