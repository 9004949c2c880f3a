import {
  abilityOf,
  type ExecutorRecord,
  type ExecutorRegistry,
  stoppedRecord,
  StoreUnavailable,
} from '#ports';
import type { SimProcess } from './sim-process.js';
import type { StoreServer } from './store-server.js';

/** The executors of all processes. */
export class RegistryServer {
  private readonly records = new Map<string, ExecutorRecord>();
  private readonly stopped = new Map<string, ExecutorRecord>();

  put(record: ExecutorRecord): void {
    this.records.set(`${record.instance} ${record.module}`, record);
  }

  remove(instance: string, module: string): void {
    const key = `${instance} ${module}`;
    const record = this.records.get(key);
    if (record !== undefined) this.stopped.set(abilityOf(record), stoppedRecord(record));
    this.records.delete(key);
  }

  list(since: number, module: string | undefined): readonly ExecutorRecord[] {
    return within(this.records, since, module);
  }

  listKnown(since: number, module: string | undefined): readonly ExecutorRecord[] {
    return [...this.list(since, module), ...within(this.stopped, since, module)];
  }
}

function within(
  records: ReadonlyMap<string, ExecutorRecord>,
  since: number,
  module: string | undefined,
): readonly ExecutorRecord[] {
  const all = [...records.values()];
  return all.filter((one) => one.seenAt >= since && one.module === (module ?? one.module));
}

/** A process's way to the registry, which is as good as the store that holds it. */
export class RegistryPort implements ExecutorRegistry {
  constructor(
    private readonly registry: RegistryServer,
    private readonly server: StoreServer,
    private readonly process: SimProcess,
  ) {}

  announce(record: ExecutorRecord): Promise<void> {
    return this.call(true, () => this.registry.put(record));
  }

  withdraw(instance: string, module: string): Promise<void> {
    return this.call(true, () => this.registry.remove(instance, module));
  }

  listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.call(false, () => {
      const found = this.registry.list(since, module);
      if (module !== undefined) this.noteMissing(found);
      return found;
    });
  }

  listKnown(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.call(false, () => this.registry.listKnown(since, module));
  }

  /** An executor asks for those of its module where it lacks a command itself. */
  private noteMissing(found: readonly ExecutorRecord[]): void {
    const { owner, world } = this.process;
    const others = found.filter(({ instance }) => instance !== owner);
    const isMissing = ['do', 'undo'].some((name) => {
      return !others.some(({ commands }) => commands.includes(name));
    });
    if (isMissing) world.see('no build had the command');
  }

  private call<T>(isWrite: boolean, effect: () => T): Promise<T> {
    const { process, server } = this;
    const { world } = process;
    return new Promise((resolve, reject) => {
      const isAway = server.isDown() || (isWrite && server.isFull());
      if (!isAway && !world.strikes('registryFails')) {
        process.later(world.random.between(1, 8), () => resolve(effect()));
        return;
      }
      world.see('registry failed');
      process.later(2, () => reject(new StoreUnavailable('registry')));
    });
  }
}
