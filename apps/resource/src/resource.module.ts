import path from 'node:path';
import {
  Controller,
  type DynamicModule,
  Get,
  Inject,
  Module,
  type OnApplicationShutdown,
  Query,
} from '@nestjs/common';
import type { Clock } from '#ports';
import type { ExecutorStore } from '#settings';
import { expectNoParameters } from '#http-server';
import { readHosts } from './hosts-file.js';
import type { HostReport, Inventory } from './inventory.js';
import { INVENTORY } from './inventory.token.js';
import { openMongoInventory } from './mongo-inventory.js';
import { ResourceExecutor } from './resource.executor.js';
import { openSqliteInventory } from './sqlite-inventory.js';

/** The inventory as a page: every host, what is free of it and who has the rest. */
@Controller('modules/resource')
class HostsController {
  constructor(@Inject(INVENTORY) private readonly inventory: Inventory) {}

  @Get('hosts')
  async hosts(@Query() query: unknown): Promise<{ items: readonly HostReport[] }> {
    expectNoParameters(query);
    return { items: await this.inventory.listHosts() };
  }
}

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
