import { isOutage, type Notice, type Observer } from '#ports';
import type { Claim } from './claim.js';

/** An outcome came after somebody else had decided. */
export function noticeLate(observer: Observer, { context }: Claim, reason: string): void {
  const { module, step, taskId } = context;
  const message = `outcome of ${step} came too late: ${reason}`;
  observer.noticed({ level: 'info', name: 'late_outcome', message, taskId, module });
}

/** An outcome is kept until it can be stored: something does not answer, or we have a bug. */
export function noticeWaiting(observer: Observer, { context }: Claim, error: unknown): void {
  const { module, step, taskId } = context;
  const message = `outcome of ${step} is not stored yet`;
  observer.noticed({ ...weightOf(error, 'outcome_waits'), message, taskId, module, error });
}

/** Reports that the work after an outcome failed: governance goes on with the task. */
export function noticeBroken(observer: Observer, { context }: Claim, error: unknown): void {
  const { module, step, taskId } = context;
  const message = `what follows ${step} could not be started`;
  observer.noticed({ ...weightOf(error, 'next_step_waits'), message, taskId, module, error });
}

/** Anything but an outage is a bug of ours. */
function weightOf(error: unknown, outage: string): Pick<Notice, 'level' | 'name'> {
  if (isOutage(error)) return { level: 'warn', name: outage };
  return { level: 'error', name: 'internal_error' };
}
