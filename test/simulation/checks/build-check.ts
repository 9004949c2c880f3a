import { actionOf, FAILURE_CODES, type Task } from '#core';
import type { RegistryServer } from '../registry-port.js';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { pairsOf } from './pairs.js';

/**
 * Mixed builds: a step fails for want of its command only where the process that said so had been
 * told that nobody else has it either.
 */
export class BuildCheck {
  constructor(
    private readonly world: World,
    private readonly registry: RegistryServer,
  ) {}

  look({ task, writer }: Stored, before: Task | null): void {
    for (const { after, before: old, direction, step } of pairsOf(task, before)) {
      if (after.code !== FAILURE_CODES.UNKNOWN_COMMAND || old?.code === after.code) continue;
      const action = actionOf(task, { direction, step });
      if (action === undefined) continue;
      const { command, module } = action;
      this.world.see('no build had the command');
      if (this.registry.knewNobody(writer, module, command)) continue;
      const what = `${task.plan.taskId}: ${writer} failed ${direction} of step ${step}`;
      this.world.violate('I17', `${what} for want of ${command}, which others may have`);
    }
  }
}
