import { Body, Controller, Inject, Param, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { expectMayChange, expectNoParameters, principalOf, Problem } from '#http-server';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { modulesOf } from '../tasks/modules-of.js';
import { presentDrill, type PublicDrill } from './drill.presenter.js';
import { findFlow } from './find-flow.js';
import { recordDrillReader } from './record-drill.request.js';

/** Keeps how versions of flows fared in their drills. */
@Controller('v1/flows')
export class DrillsController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** Takes the place of the result of the drill before of this version. */
  @Put(':name([^:]+)/versions/:version([^:]+)/drill')
  async record(
    @Param('name') name: string,
    @Param('version') version: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<PublicDrill> {
    expectNoParameters(request.query);
    const flow = await findFlow(this.options, { name, version }, request);
    const changed = { kind: 'flow', flow: name, modules: modulesOf(flow) } as const;
    expectMayChange(principalOf(request), changed);
    const { failures, total } = recordDrillReader.read(body);
    if (failures > total) {
      const message = '`failures` must not be more than `total`.';
      throw new Problem('INVALID_PARAMETERS', message, {
        errors: [{ pointer: '/failures', message }],
      });
    }
    const at = this.options.clock.now();
    const record = { flow: name, version: flow.version, at, failures, total };
    await this.options.drills.put(record, 'any');
    return presentDrill(record);
  }
}
