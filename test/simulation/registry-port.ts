import {
  type ExecutorRecord,
  type ExecutorRegistry,
  type ExecutorTable,
  StoreUnavailable,
} from '#ports';
import type { SimProcess } from './sim-process.js';
import type { StoreServer } from './store-server.js';

/** A process's way to the registry, which is as good as the store that holds it. */
export class RegistryPort implements ExecutorRegistry {
  constructor(
    private readonly registry: ExecutorTable,
    private readonly server: StoreServer,
    private readonly process: SimProcess,
  ) {}

  announce(record: ExecutorRecord): Promise<void> {
    return this.call(true, () => this.registry.announce(record));
  }

  withdraw(instance: string, module: string): Promise<void> {
    return this.call(true, () => this.registry.withdraw(instance, module));
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
