import { Controller, Get, Inject, Query } from '@nestjs/common';
import { expectNoParameters } from '#http-server';
import { TARGET_LIST } from './monitor.tokens.js';
import { groupsOf, type TargetGroup, type TargetList } from './target-list.js';

/** The targets of Prometheus, as its HTTP service discovery (`http_sd_configs`) reads them. */
@Controller('modules/monitor')
export class TargetsController {
  constructor(@Inject(TARGET_LIST) private readonly targets: TargetList) {}

  /** A list without an object around it: Prometheus reads no other form. */
  @Get('targets')
  async list(@Query() query: unknown): Promise<readonly TargetGroup[]> {
    expectNoParameters(query);
    return groupsOf(await this.targets.list());
  }
}
