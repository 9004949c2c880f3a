import type { ActionRef, ActionRun, Task } from '#core';
import type { Clock, CommandHandler } from '#ports';
import type { StepContext } from './step-context.js';

/** A step that this process has the right to run, from its claim to the commit of its outcome. */
export interface Claim {
  readonly ref: ActionRef;
  readonly token: number;
  readonly module: string;
  readonly handler: CommandHandler;
  readonly context: StepContext;
  /** The document as this process knows it; newer after each renewal. */
  task: Task;
  /** End of the lease as this process knows it, by its monotonic clock. */
  leaseUntil: number;
  /** When its command should long have answered, by the monotonic clock. */
  readonly overdueAt: number;
}

/**
 * What turns a moment into one of the monotonic clock: what this process has in hand does not end
 * because a clock is set.
 */
export function toMonotonic(clock: Pick<Clock, 'monotonic' | 'now'>): number {
  return clock.monotonic() - clock.now();
}

/** The run that a claim is about, if it is still this claim's. */
export function claimedRun(
  task: Task,
  { ref, token }: Pick<Claim, 'ref' | 'token'>,
): ActionRun | null {
  const run = runOf(task, ref);
  return run?.state === 'running' && run.lease?.token === token ? run : null;
}

/** The run that a reference names. */
export function runOf(task: Task, { direction, step }: ActionRef): ActionRun | null {
  if (direction === 'alert') return task.alertStep === step ? task.alert : null;
  const runs = task.runs[step];
  return (direction === 'normal' ? runs?.normal : runs?.rollback) ?? null;
}
