import type { ActionRef, Task } from '#core';
import { actionOf, runOf } from '#core/scopes';
import type { Performed } from './double.js';

const TIMED_OUT = 'this attempt timed out';

/** The report of the executor on an attempt that did not succeed. */
export type Report =
  | { readonly kind: 'timed_out'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly terminal: boolean;
      readonly failure: 'FAILED' | 'TIMED_OUT';
      readonly error?: string;
      readonly message: string;
    };

/** The deadline of an attempt that begins now, and the report of its executor at that time. */
export function attemptLimit(
  task: Task,
  ref: ActionRef,
  now: number,
): { readonly at: number; readonly event: Report } {
  const deadline = runOf(task, ref)?.deadline ?? now;
  const attemptMs = actionOf(task, ref)?.attemptTimeoutMs ?? null;
  if (attemptMs === null || now + attemptMs >= deadline) {
    return { at: deadline, event: { kind: 'timed_out', message: TIMED_OUT } };
  }
  const failed = { kind: 'failed', terminal: false, failure: 'TIMED_OUT' } as const;
  return { at: now + attemptMs, event: { ...failed, message: TIMED_OUT } };
}

/** The report of an executor on the result of its command. */
export function reportOf(
  performed: Performed,
): Report | { readonly kind: 'succeeded'; readonly output: Task['plan']['constants'] } {
  switch (performed.kind) {
    case 'succeeded':
      return { kind: 'succeeded', output: performed.answer.output ?? null };
    case 'failed':
    case 'failed_retryable': {
      const terminal = performed.kind === 'failed';
      const { code, message } = performed;
      const failed = { kind: 'failed', terminal, failure: 'FAILED', message } as const;
      return code === null ? failed : { ...failed, error: code };
    }
    default:
      return { kind: 'timed_out', message: TIMED_OUT };
  }
}
