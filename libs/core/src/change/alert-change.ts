import type { Moment } from '../task/event.js';
import { lookAgainAt } from '../task/retry-delay.js';
import type { Alert, Task } from '../task/task.js';

/**
 * Least time between two alert tasks of a task, in milliseconds; a shorter time between repeats
 * counts instead.
 */
const ALERT_GAP_MS = 10_000;

const FIRST: Alert = Object.freeze({
  number: 0,
  taskId: null,
  sentAt: null,
  looks: 0,
  dueAt: null,
});

/** The alert tasks of a task that are over, as a person has acted. */
export interface EndedAlert {
  /** Number of the latest one that was asked for, which need not be stored. */
  readonly number: number;
  /** Id of the one that was stored last; null: none is known to be. */
  readonly taskId: string | null;
}

/** The alert tasks of a task, on their way to its next document. */
export class AlertChange {
  alert: Alert | null;
  /** The alert tasks that call nobody any more; null: there are none. */
  ended: EndedAlert | null = null;

  constructor(
    base: Pick<Task, 'alert'>,
    private readonly moment: Moment,
  ) {
    this.alert = base.alert;
  }

  /** Whether what is due is an alert after one that told of the same, and brought nobody. */
  get isRepeat(): boolean {
    const { dueAt = null, looks = 0, sentAt = null } = this.alert ?? {};
    if (looks > 0 || dueAt === null || sentAt === null) return false;
    return dueAt >= sentAt + this.moment.timing.alertRepeatMs;
  }

  /**
   * A rollback failed: an alert task is to be started. One that is yet to be started tells of both.
   * One that was started a moment ago holds this one back until the gap is over, so that the last
   * failure is always told, and rollbacks that are retried over and over are told rarely. Returns
   * when it is started, in milliseconds since 1970; null: there is one that tells of it.
   */
  raise(): number | null {
    const { now, timing } = this.moment;
    const { dueAt, looks, sentAt } = this.alert ?? FIRST;
    if (looks > 0) return null;
    const gapMs = Math.min(ALERT_GAP_MS, timing.alertRepeatMs);
    const startsAt = Math.max(now, sentAt === null ? now : sentAt + gapMs);
    if (startsAt <= now) this.ask();
    else if (dueAt !== null && dueAt <= startsAt) return null;
    else this.alert = { ...(this.alert ?? FIRST), dueAt: startsAt };
    return startsAt;
  }

  /** Has a process start an alert task, now and, should that be lost, after a while. */
  ask(): void {
    const { moment } = this;
    const alert = this.alert ?? FIRST;
    const looks = alert.looks + 1;
    const number = looks === 1 ? alert.number + 1 : alert.number;
    const dueAt = lookAgainAt({ moment, now: moment.now }, looks);
    this.alert = { ...alert, number, looks, dueAt };
  }

  /** The alert task is stored: the next one comes after a while. */
  tell(taskId: string): void {
    const { now, timing } = this.moment;
    const dueAt = now + timing.alertRepeatMs;
    this.alert = { ...(this.alert ?? FIRST), taskId, sentAt: now, looks: 0, dueAt };
  }

  /** Nobody need be called any more: a person has acted. */
  settle(): void {
    const { alert } = this;
    if (alert === null || alert.dueAt === null) return;
    const { number, taskId } = alert;
    if (number > 0) this.ended = { number, taskId };
    const sentAt = alert.looks > 0 ? this.moment.now : alert.sentAt;
    // One that is about to end tells of no later failure.
    this.alert = { number, taskId: null, sentAt, looks: 0, dueAt: null };
  }
}
