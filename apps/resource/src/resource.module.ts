import path from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '#ports';
import type { ExecutorStore } from '#settings';
import { HostsController } from './hosts.controller.js';
import { readHosts } from './hosts-file.js';
import type { Inventory } from './inventory.js';
import { INVENTORY } from './inventory.token.js';
import { openMongoInventory } from './mongo-inventory.js';
import { ResourceExecutor } from './resource.executor.js';
import { openSqliteInventory } from './sqlite-inventory.js';

/** Options of the module. */
export interface ResourceOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
  /** A JSON file of hosts; without one there is a sample. */
  readonly hostsFile?: string | undefined;
  /** SQLite serves one machine; executors on several machines share a MongoDB. */
  readonly store: ExecutorStore;
}

/** Module `resource`: the inventory of hosts, its commands and its page. */
@Module({})
export class ResourceModule implements OnApplicationShutdown {
  constructor(@Inject(INVENTORY) private readonly inventory: Inventory) {}

  static register(options: ResourceOptions): DynamicModule {
    return {
      module: ResourceModule,
      controllers: [ResourceExecutor, HostsController],
      providers: [{ provide: INVENTORY, useFactory: () => openInventory(options) }],
      exports: [INVENTORY],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.inventory.close();
  }
}

async function openInventory(options: ResourceOptions): Promise<Inventory> {
  const { clock, dataFolder, hostsFile, store } = options;
  const hosts = await readHosts(hostsFile);
  if (store !== 'sqlite') return openMongoInventory({ clock, hosts, url: store.mongodbUrl });
  return openSqliteInventory({ clock, hosts, file: path.join(dataFolder, 'resource.db') });
}
