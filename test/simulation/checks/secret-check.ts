import type { Task } from '#core';
import type { CommandContext } from '#ports';
import { isUnfetched, SECRET } from '../sim-secrets.js';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';

/** Commands are given the secret itself, and nothing that is stored has it. */
export class SecretCheck {
  constructor(private readonly world: World) {}

  started({ parameters, run, taskId }: CommandContext): void {
    if (!isUnfetched(parameters)) return;
    this.world.violate('I34', `${taskId} ${run} was given ${JSON.stringify(parameters)}`);
  }

  look({ task }: Stored, before: Task | null): void {
    if (!this.world.scenario.hasSecret || !hasNewSecret(task, before)) return;
    this.world.violate('I34', `${task.plan.taskId} r${task.revision} has the secret in it`);
  }
}

/** Whether a text in a value has the secret. The parts that both values share were looked at. */
function hasNewSecret(value: unknown, before: unknown): boolean {
  if (value === before) return false;
  if (typeof value === 'string') return value.includes(SECRET);
  if (typeof value !== 'object' || value === null) return false;
  const known = typeof before === 'object' ? (before as Record<string, unknown> | null) : null;
  for (const [name, member] of Object.entries(value)) {
    if (hasNewSecret(member, known?.[name])) return true;
  }
  return false;
}
