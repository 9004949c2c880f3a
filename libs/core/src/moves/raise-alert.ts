import { type ActionRun, isActive, PENDING_RUN } from '../task/action-run.js';
import type { Change } from '../change/change.js';

/**
 * Least time between two alerts of a task, in milliseconds; a shorter time between reminders counts
 * instead.
 */
const ALERT_GAP_MS = 10_000;

/**
 * Puts an alert on its way to the on-call. One that is already on its way will tell about both. One
 * that was sent a moment ago holds this one back until the gap is over, so that the last failure is
 * always told, and rollbacks that are retried over and over are told twice a minute.
 */
export function raiseAlert(change: Change, step: number): void {
  const { alert, message, now } = change;
  if (alert !== null && isActive(alert)) return;
  const sentAt = alert?.endedAt ?? null;
  const gapMs = Math.min(ALERT_GAP_MS, change.moment.timing.alertRepeatMs);
  const heldUntil = sentAt === null ? now : sentAt + gapMs;
  change.alertStep = step;
  const ref = { direction: 'alert', step } as const;
  const attempts = alert?.attempts ?? 0;
  const fresh = { ...PENDING_RUN, attempts, endedAt: sentAt };
  if (heldUntil <= now) {
    change.queue(ref, fresh, change.orderNow);
    change.noteRun('alert_raised', ref, { message: message ?? undefined });
    return;
  }
  change.edit(ref, fresh, 'waiting').dueAt = heldUntil;
  change.noteRun('alert_raised', ref, { message: message ?? undefined, dueAt: heldUntil });
}

/** The alert is no longer wanted: somebody acted. When one was sent last stays known. */
export function settleAlert(change: Change): void {
  const { alert, alertStep } = change;
  if (alert === null || alertStep === null || alert.state === 'skipped') return;
  const ended = change.end({ direction: 'alert', step: alertStep }, alert, 'skipped');
  ended.endedAt = sentBy(alert, change.now);
}

/**
 * When the on-call was told last, as far as can be known: an attempt that failed told nobody, one
 * that is called off may have.
 */
function sentBy(alert: ActionRun, now: number): number | null {
  if (alert.state === 'running') return now;
  const mayHaveTold = isActive(alert) && alert.startedAt !== null && alert.code === 0;
  return mayHaveTold ? alert.startedAt : alert.endedAt;
}
