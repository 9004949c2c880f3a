import { type ExecutorRecord, type ExecutorRegistry, StoreUnavailable } from '#ports';
import type { SimProcess } from './sim-process.js';
import type { StoreServer } from './store-server.js';

/** The executors of all processes, and which of these were told that nobody else has a command. */
export class RegistryServer {
  private readonly records = new Map<string, ExecutorRecord>();
  private readonly missed = new Set<string>();

  put(record: ExecutorRecord): void {
    this.records.set(`${record.instance} ${record.module}`, record);
  }

  remove(instance: string, module: string): void {
    this.records.delete(`${instance} ${module}`);
  }

  /** The executors of a module, as an answer to a process that asks. */
  list(since: number, module: string | undefined, asker: string): readonly ExecutorRecord[] {
    const all = [...this.records.values()];
    const found = all.filter((one) => one.seenAt >= since && one.module === (module ?? one.module));
    const others = found.filter(({ instance }) => instance !== asker);
    for (const command of ['do', 'undo']) {
      const isThere = others.some(({ commands }) => commands.includes(command));
      if (!isThere) this.missed.add(`${asker} ${module} ${command}`);
    }
    return found;
  }

  /** Whether the process was ever told that nobody else has the command. */
  knewNobody(owner: string, module: string, command: string): boolean {
    return this.missed.has(`${owner} ${module} ${command}`);
  }
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
    return this.call(false, () => this.registry.list(since, module, this.process.owner));
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
