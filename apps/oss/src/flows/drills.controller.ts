import { Controller, Inject } from '@nestjs/common';
import { expectMayChange, Problem } from '#http-server';
import { type CommonParts, type FlowParts, OSS_OPTIONS } from '../options.js';
import { modulesOf } from '../tasks/modules-of.js';
import { presentDrill, type PublicDrill } from './flow.presenter.js';
import { findFlow } from './find-flow.js';
import { FLOW_ROUTES } from './flows.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Keeps how versions of flows fared in their drills. */
@Controller()
export class DrillsController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & FlowParts) {}

  /** Takes the place of the result of the drill before of this version. */
  @Handles(FLOW_ROUTES.recordDrill)
  async record(asked: Asked<typeof FLOW_ROUTES.recordDrill>): Promise<PublicDrill> {
    const {
      path: { name, version },
      principal,
    } = asked;
    const flow = await findFlow(this.options, { name, version }, principal);
    const changed = { kind: 'flow', flow: name, modules: modulesOf(flow) } as const;
    expectMayChange(principal, changed);
    const { failures, total } = asked.body;
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
