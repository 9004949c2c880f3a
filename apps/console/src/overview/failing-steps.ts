import type { Task } from '../api/shapes.js';

/** A step at which tasks failed; null: their own time was over. */
export interface FailingStep {
  readonly flow: string;
  readonly step: string | null;
  readonly count: number;
  /** The newest task among them, and why it failed. */
  readonly newest: Pick<Task, 'taskId' | 'taskMessage'>;
}

/** The steps that these tasks, the newest first, failed at; those of most tasks first. */
export function failingSteps(tasks: readonly Partial<Task>[]): readonly FailingStep[] {
  const found = new Map<string, FailingStep>();
  for (const { flow, lastError, taskId, taskMessage = null } of tasks) {
    if (flow === undefined || taskId === undefined || !lastError) continue;
    const { step } = lastError;
    const key = JSON.stringify([flow, step]);
    const known = found.get(key) ?? { flow, step, count: 0, newest: { taskId, taskMessage } };
    found.set(key, { ...known, count: known.count + 1 });
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}
