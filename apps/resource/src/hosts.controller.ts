import { Controller, Get, Inject, Query } from '@nestjs/common';
import { expectNoParameters } from '#http-server';
import type { HostReport, Inventory } from './inventory.js';
import { INVENTORY } from './inventory.token.js';

/** The inventory as a page: every host, what is free of it and who has the rest. */
@Controller('modules/resource')
export class HostsController {
  constructor(@Inject(INVENTORY) private readonly inventory: Inventory) {}

  @Get('hosts')
  async hosts(@Query() query: unknown): Promise<{ items: readonly HostReport[] }> {
    expectNoParameters(query);
    return { items: await this.inventory.listHosts() };
  }
}
