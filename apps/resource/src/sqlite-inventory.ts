import type { JsonObject } from '#core';
import type { BarrierContext, Clock, TaskMarks } from '#ports';
import { BARRIER_TABLE, openSqlite, SqliteBarrier, type SqliteFile, type SqliteTx } from '#barrier';
import {
  type Allocation,
  type Demand,
  type Host,
  type HostReport,
  type Inventory,
  noRoom,
  type Size,
} from './inventory.js';
import {
  type FreeRow,
  INVENTORY_TABLES,
  pickHost,
  putHosts,
  readAllocations,
  removeAllocation,
  storeAllocation,
} from './sqlite-hosts.js';
import { fromThousandths, toThousandths } from './thousandths.js';

/** Where an inventory is kept. */
interface SqliteInventoryOptions {
  readonly clock: Clock;
  readonly file: string;
  readonly hosts: readonly Host[];
}

/** Opens the inventory of one machine; several processes may open the same file. */
export async function openSqliteInventory(options: SqliteInventoryOptions): Promise<Inventory> {
  const { clock, file, hosts } = options;
  const opened = await openSqlite({ clock, file, migrations: [BARRIER_TABLE, INVENTORY_TABLES] });
  try {
    await opened.write((tx) => putHosts(tx, hosts));
  } catch (error) {
    await opened.close();
    throw error;
  }
  return new SqliteInventory(opened, new SqliteBarrier(opened, clock));
}

class SqliteInventory implements Inventory {
  constructor(
    private readonly file: SqliteFile,
    private readonly barrier: SqliteBarrier,
  ) {}

  get marks(): TaskMarks {
    return this.barrier;
  }

  findRoom(size: Size): Promise<string | null> {
    const need = toThousandths(size);
    const none = { taskId: '', run: '', preferred: null };
    return Promise.resolve(this.file.read((tx) => pickHost(tx, need, none)));
  }

  async take(context: BarrierContext, demand: Demand): Promise<readonly Allocation[]> {
    const output = await this.barrier.forward(context, (tx) => {
      return {
        taken: demand.instances.map((instance) => takeOne(tx, context, { demand, instance })),
      };
    });
    return listIn(output, 'taken').map(readable);
  }

  undoTake(context: BarrierContext): Promise<void> {
    return this.barrier.rollback(context, (tx, output) => {
      // Only what is still there: an instance may have been released meanwhile.
      for (const allocation of listIn(output, 'taken')) removeAllocation(tx, allocation);
    });
  }

  async release(context: BarrierContext, instance: string): Promise<readonly Allocation[]> {
    const output = await this.barrier.forward(context, (tx) => {
      const released = readAllocations(tx, instance);
      for (const allocation of released) removeAllocation(tx, allocation);
      return { released: released.map(asJson) };
    });
    return listIn(output, 'released').map(readable);
  }

  undoRelease(context: BarrierContext): Promise<void> {
    return this.barrier.rollback(context, (tx, output) => {
      for (const allocation of listIn(output, 'released')) takeBack(tx, allocation);
    });
  }

  listHosts(): Promise<readonly HostReport[]> {
    return Promise.resolve(this.file.read(reportHosts));
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function takeOne(
  tx: SqliteTx,
  { taskId, run }: BarrierContext,
  { demand, instance }: { demand: Demand; instance: string },
): JsonObject {
  const need = toThousandths(demand.size);
  const host = pickHost(tx, need, { taskId, run, preferred: demand.preferred });
  if (host === null) throw noRoom(demand.size, freeSizes(tx));
  const allocation = { taskId, run, instance, host, ...need };
  storeAllocation(tx, allocation);
  return asJson(allocation);
}

function takeBack(tx: SqliteTx, allocation: Allocation): void {
  if (!storeAllocation(tx, allocation)) {
    throw noRoom(fromThousandths(allocation), freeSizes(tx, allocation.host));
  }
}

function freeSizes(tx: SqliteTx, host?: string): Size[] {
  const rows = tx.all<FreeRow>(
    'SELECT host, cpu_free, memory_free, storage_free FROM hosts WHERE NOT retired',
  );
  return rows
    .filter((row) => host === undefined || row.host === host)
    .map(({ cpu_free: cpu, memory_free: memory, storage_free: storage }) =>
      fromThousandths({ cpu, memory, storage }),
    );
}

function reportHosts(tx: SqliteTx): HostReport[] {
  const byHost = new Map<string, Omit<Allocation, 'host'>[]>();
  for (const { host, ...allocation } of readAllocations(tx)) {
    const list = byHost.get(host) ?? [];
    list.push({ ...allocation, ...fromThousandths(allocation) });
    byHost.set(host, list);
  }
  return tx
    .all<FreeRow & Size>('SELECT * FROM hosts ORDER BY host')
    .map((row) => ({
      host: row.host,
      cpu: { total: row.cpu / 1_000, free: row.cpu_free / 1_000 },
      memory: { total: row.memory / 1_000, free: row.memory_free / 1_000 },
      storage: { total: row.storage / 1_000, free: row.storage_free / 1_000 },
      allocations: byHost.get(row.host) ?? [],
    }));
}

// Marks hold what the effect did, in thousandths as the tables do.
function listIn(output: JsonObject | null, member: 'taken' | 'released'): readonly Allocation[] {
  return (output?.[member] ?? []) as unknown as readonly Allocation[];
}

function readable(allocation: Allocation): Allocation {
  return { ...allocation, ...fromThousandths(allocation) };
}

function asJson(allocation: Allocation): JsonObject {
  return { ...allocation };
}
