import type { Collection, Document, UpdateFilter } from 'mongodb';
import type { PlacedEffect } from '#barrier';
import type { Allocation, Host, Size } from './inventory.js';
import { toThousandths } from './thousandths.js';

/**
 * A host and what is taken of it, in thousandths: one document, so that no update sees half of it.
 */
export interface HostDocument extends Document {
  readonly _id: string;
  readonly allocations: readonly Allocation[];
  readonly free: Size;
  readonly retired: boolean;
  readonly total: Size;
}

/** Takes a part of a host, if it has so much left; undone only while it is still taken. */
export function takingOf(collection: string, allocation: Allocation): PlacedEffect {
  const { cpu, host, instance, memory, storage, run, taskId } = allocation;
  const owner = { taskId, run, instance };
  return {
    collection,
    id: host,
    item: instance,
    filter: { retired: false, ...room(allocation) },
    update: added(allocation),
    undo: {
      update: removed({ cpu, memory, storage }, owner),
      when: { allocations: { $elemMatch: owner } },
      otherwise: 'gone',
    },
  };
}

/**
 * Gives a part of a host back, also one that another task took; undone only while there is room.
 */
export function releaseOf(collection: string, allocation: Allocation): PlacedEffect {
  const { instance, run, taskId } = allocation;
  const owner = { taskId, run, instance };
  return {
    collection,
    id: allocation.host,
    item: JSON.stringify([taskId, run, instance]),
    filter: { allocations: { $elemMatch: owner } },
    update: removed(allocation, owner),
    undo: { update: added(allocation), when: room(allocation), otherwise: 'refuse' },
  };
}

/** The filter for hosts on which a size fits. */
export function room({ cpu, memory, storage }: Size): Document {
  return {
    'free.cpu': { $gte: cpu },
    'free.memory': { $gte: memory },
    'free.storage': { $gte: storage },
  };
}

function added(allocation: Allocation): UpdateFilter<Document> {
  return {
    $inc: change(allocation, -1),
    $push: { allocations: allocation },
  } as unknown as UpdateFilter<Document>;
}

function removed(size: Size, owner: Pick<Allocation, 'taskId' | 'run' | 'instance'>) {
  return {
    $inc: change(size, 1),
    $pull: { allocations: owner },
  } as unknown as UpdateFilter<Document>;
}

function change({ cpu, memory, storage }: Size, sign: 1 | -1): Record<string, number> {
  return { 'free.cpu': sign * cpu, 'free.memory': sign * memory, 'free.storage': sign * storage };
}

/**
 * Makes the inventory hold these hosts. Several executors do this at once: each change is
 * conditional on the total it was made from.
 */
export async function putHosts(
  hosts: Collection<HostDocument>,
  wanted: readonly Host[],
): Promise<void> {
  for (const host of wanted) await putHost(hosts, host);
  const names = wanted.map(({ host }) => host);
  const gone = { _id: { $nin: names } };
  await hosts.updateMany(gone, { $set: { retired: true } });
  await hosts.deleteMany({ ...gone, allocations: { $size: 0 } });
}

async function putHost(hosts: Collection<HostDocument>, host: Host): Promise<void> {
  const total = toThousandths(host);
  const _id = host.host;
  const fresh = { total, free: total, allocations: [], retired: false };
  await hosts.updateOne({ _id }, { $setOnInsert: fresh }, { upsert: true });
  for (;;) {
    const found = await hosts.findOne({ _id }, { projection: { total: 1 } });
    if (found === null) throw new Error(`host ${_id} was removed by another executor`);
    const { cpu, memory, storage } = found.total;
    const known = { 'total.cpu': cpu, 'total.memory': memory, 'total.storage': storage };
    const grown = {
      cpu: total.cpu - cpu,
      memory: total.memory - memory,
      storage: total.storage - storage,
    };
    const shrunk = { cpu: -grown.cpu, memory: -grown.memory, storage: -grown.storage };
    const fits = { _id, ...known, ...room(shrunk) };
    const update = { $set: { total, retired: false }, $inc: change(grown, 1) };
    if ((await hosts.updateOne(fits, update)).matchedCount === 1) return;
    if ((await hosts.countDocuments({ _id, ...known })) === 1) {
      throw new Error(`host ${_id} is smaller now than what is taken of it`);
    }
  }
}
