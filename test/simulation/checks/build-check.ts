import { FAILURE_CODES, type Task } from '#core';
import { actionOf } from '#core/scopes';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { pairsOf } from './pairs.js';

/** Mixed builds: no step fails for want of its command. */
export class BuildCheck {
  constructor(private readonly world: World) {}

  look({ task, writer }: Stored, before: Task | null): void {
    for (const { after, before: old, direction, step } of pairsOf(task, before)) {
      if (after.code !== FAILURE_CODES.UNKNOWN_COMMAND || old?.code === after.code) continue;
      const action = actionOf(task, { direction, step });
      if (action === undefined) continue;
      const { command } = action;
      const what = `${task.plan.taskId}: ${writer} failed ${direction} of step ${step}`;
      this.world.violate('I17', `${what} for want of ${command}`);
    }
  }
}
