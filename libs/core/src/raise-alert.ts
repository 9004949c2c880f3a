import { PENDING_RUN } from './action-run.js';
import type { Change } from './change.js';

/** Puts an alert on its way to the on-call. One that is already on its way will tell about both. */
export function raiseAlert(change: Change, step: number): void {
  const { alert } = change;
  const underWay = alert !== null && ['queued', 'running', 'waiting'].includes(alert.state);
  if (underWay) return;
  change.alertStep = step;
  const ref = { direction: 'alert', step } as const;
  const attempts = alert?.attempts ?? 0;
  change.queue(ref, { ...PENDING_RUN, attempts });
  change.noteRun('alert_raised', ref, { message: change.message ?? undefined });
}

/** The alert is no longer wanted: somebody acted. */
export function settleAlert(change: Change): void {
  const { alert, alertStep } = change;
  if (alert === null || alertStep === null || alert.state === 'skipped') return;
  change.end({ direction: 'alert', step: alertStep }, alert, 'skipped');
}
