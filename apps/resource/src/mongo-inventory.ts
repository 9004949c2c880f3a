import type { Collection } from 'mongodb';
import type { JsonObject } from '#core';
import type { BarrierContext, Clock, TaskMarks } from '#ports';
import {
  MongoBarrier,
  type MongoConnection,
  type MongoTx,
  openMongo,
  orUnavailable,
  UndoRefused,
} from '#barrier';
import {
  type Allocation,
  type Demand,
  type Host,
  type HostReport,
  type Inventory,
  noRoom,
  NoRoom,
  type Size,
} from './inventory.js';
import { type HostDocument, putHosts, releaseOf, room, takingOf } from './mongo-hosts.js';
import { fromThousandths, toThousandths } from './thousandths.js';

/** Where an inventory is kept. */
interface MongoInventoryOptions {
  readonly clock: Clock;
  readonly hosts: readonly Host[];
  /** Names the database. */
  readonly url: string;
}

const HOSTS = 'resource_hosts';
const MARKS = 'resource_barrier';
/** Hosts fill up while they are being looked at; then the others are looked at again. */
const ROUNDS = 5;

/** Opens the inventory that executors on several machines share. */
export async function openMongoInventory(options: MongoInventoryOptions): Promise<Inventory> {
  const connection = await openMongo(options.url);
  try {
    const { db } = connection;
    const hosts = db.collection<HostDocument>(HOSTS);
    await hosts.createIndex({ 'allocations.instance': 1 });
    await putHosts(hosts, options.hosts);
    const barrier = new MongoBarrier({ clock: options.clock, collection: MARKS, db });
    return new MongoInventory(connection, { barrier, hosts });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface Parts {
  readonly barrier: MongoBarrier;
  readonly hosts: Collection<HostDocument>;
}

class MongoInventory implements Inventory {
  constructor(
    private readonly connection: MongoConnection,
    private readonly parts: Parts,
  ) {}

  get marks(): TaskMarks {
    return this.parts.barrier;
  }

  async findRoom(size: Size): Promise<string | null> {
    const anyHost = { preferred: null, used: [] };
    const [best] = await orUnavailable(this.#candidates(toThousandths(size), anyHost));
    return best ?? null;
  }

  async take(context: BarrierContext, demand: Demand): Promise<readonly Allocation[]> {
    const output = await this.parts.barrier.forward(context, async (tx) => {
      const taken: Allocation[] = [];
      for (const instance of demand.instances) {
        taken.push(await this.#takeOne(tx, { context, demand, instance, taken }));
      }
      return { taken: taken as unknown as JsonObject[] };
    });
    return readable(output, 'taken');
  }

  undoTake(context: BarrierContext): Promise<void> {
    return this.parts.barrier.rollback(context, (tx) => tx.takeBack());
  }

  async release(context: BarrierContext, instance: string): Promise<readonly Allocation[]> {
    const output = await this.parts.barrier.forward(context, async (tx) => {
      const found = await this.parts.hosts.find({ 'allocations.instance': instance }).toArray();
      const released: Allocation[] = [];
      for (const allocation of found.flatMap(({ allocations }) => allocations)) {
        if (allocation.instance !== instance) continue;
        if (await tx.place(releaseOf(HOSTS, allocation))) released.push(allocation);
      }
      return { released: released as unknown as JsonObject[] };
    });
    return readable(output, 'released');
  }

  async undoRelease(context: BarrierContext): Promise<void> {
    try {
      await this.parts.barrier.rollback(context, (tx) => tx.takeBack());
    } catch (error) {
      if (!(error instanceof UndoRefused)) throw error;
      throw new NoRoom('the room that was released has been taken by others', { cause: error });
    }
  }

  async listHosts(): Promise<readonly HostReport[]> {
    const found = await orUnavailable(this.parts.hosts.find().sort({ _id: 1 }).toArray());
    return found.map(reportOf);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #takeOne(tx: MongoTx, { context, demand, instance, taken }: Taking): Promise<Allocation> {
    const { taskId, run } = context;
    const need = toThousandths(demand.size);
    const used = taken.map(({ host }) => host);
    for (let round = 0; round < ROUNDS; round++) {
      const hosts = await this.#candidates(need, { preferred: demand.preferred, used });
      if (hosts.length === 0) break;
      for (const host of hosts) {
        const allocation = { taskId, run, instance, host, ...need };
        if (await tx.place(takingOf(HOSTS, allocation))) return allocation;
      }
    }
    const free = (await this.parts.hosts.find({ retired: false }).toArray()).map((host) =>
      fromThousandths(host.free),
    );
    throw noRoom(demand.size, free);
  }

  /** Hosts with room: unused before used, the suggested one first, then those left fullest. */
  async #candidates(
    need: Size,
    { preferred, used }: { preferred: string | null; used: readonly string[] },
  ): Promise<readonly string[]> {
    const fitting = await this.parts.hosts
      .find({ retired: false, ...room(need) }, { projection: { free: 1, total: 1 } })
      .toArray();
    const rank = fitting.map(({ _id, free, total }) => {
      return {
        host: _id,
        order: [
          used.includes(_id) ? 1 : 0,
          _id === preferred ? 0 : 1,
          slack(need, { free, total }),
        ],
      };
    });
    return rank.toSorted(byOrder).map(({ host }) => host);
  }
}

interface Taking {
  readonly context: BarrierContext;
  readonly demand: Demand;
  readonly instance: string;
  readonly taken: readonly Allocation[];
}

interface Ranked {
  readonly host: string;
  readonly order: readonly number[];
}

function byOrder(one: Ranked, other: Ranked): number {
  for (const [index, value] of one.order.entries()) {
    const difference = value - (other.order[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.host < other.host ? -1 : 1;
}

function slack(need: Size, { free, total }: { free: Size; total: Size }): number {
  const part = (kind: keyof Size) => (free[kind] - need[kind]) / Math.max(total[kind], 1);
  return part('cpu') + part('memory') + part('storage');
}

function reportOf({ _id, allocations, free, total }: HostDocument): HostReport {
  const [all, left] = [fromThousandths(total), fromThousandths(free)];
  return {
    host: _id,
    cpu: { total: all.cpu, free: left.cpu },
    memory: { total: all.memory, free: left.memory },
    storage: { total: all.storage, free: left.storage },
    allocations: allocations.map(({ taskId, run, instance, ...size }) => {
      return { taskId, run, instance, ...fromThousandths(size) };
    }),
  };
}

function readable(output: JsonObject | null, member: string): readonly Allocation[] {
  const stored = (output?.[member] ?? []) as unknown as readonly Allocation[];
  return stored.map((allocation) => ({ ...allocation, ...fromThousandths(allocation) }));
}
