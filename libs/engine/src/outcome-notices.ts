import { type Observer, StoreUnavailable } from '#ports';
import type { Claim } from './claim.js';

/** An outcome came after somebody else had decided. */
export function noticeLate(observer: Observer, { context }: Claim, reason: string): void {
  const { module, step, taskId } = context;
  const message = `outcome of ${step} came too late: ${reason}`;
  observer.noticed({ level: 'info', name: 'late_outcome', message, taskId, module });
}

/** An outcome is kept until it can be stored: the store does not answer, or we have a bug. */
export function noticeWaiting(observer: Observer, { context }: Claim, error: unknown): void {
  const { module, step, taskId } = context;
  const isOutage = error instanceof StoreUnavailable;
  const level = isOutage ? 'warn' : 'error';
  const name = isOutage ? 'outcome_waits' : 'internal_error';
  const message = `outcome of ${step} is not stored yet`;
  observer.noticed({ level, name, message, taskId, module, error });
}

/**
 * Reports that the work after an outcome failed: a bug of ours; governance goes on with the task.
 */
export function noticeBroken(observer: Observer, { context }: Claim, error: unknown): void {
  const { module, step, taskId } = context;
  const message = `what follows ${step} could not be started`;
  observer.noticed({ level: 'error', name: 'internal_error', message, taskId, module, error });
}
