import type { CommandContext } from '#ports';
import { isUnfetched, SECRET } from '../sim-secrets.js';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';

/** Commands are given the secret itself, and nothing that is stored has it. */
export class SecretCheck {
  constructor(private readonly world: World) {}

  started({ direction, parameters, run, taskId }: CommandContext): void {
    // The alert calls a person, and needs none.
    if (direction === 'alert' || !isUnfetched(parameters)) return;
    this.world.violate('I34', `${taskId} ${run} was given ${JSON.stringify(parameters)}`);
  }

  look({ task }: Stored): void {
    if (!this.world.scenario.hasSecret) return;
    if (!JSON.stringify(task).includes(SECRET)) return;
    this.world.violate('I34', `${task.plan.taskId} r${task.revision} has the secret in it`);
  }
}
