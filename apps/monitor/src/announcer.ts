import type { Clock, Notice, Observer } from '#ports';
import type { EventLog, ReportedEvent, Severity, StoredEvent } from './event-log.js';
import { notificationOf } from './notification.js';
import type { Webhook } from './webhook.js';

/** What an announcer works with. */
export interface AnnouncerParts {
  readonly clock: Clock;
  readonly log: EventLog;
  readonly observer: Observer;
  /** Null where no webhook is configured: then the log is all there is. */
  readonly webhook: Webhook | null;
}

const LEVELS: Readonly<Record<Severity, Notice['level']>> = {
  info: 'info',
  warning: 'warn',
  critical: 'error',
};

/** Tells people about an event: stored and logged once, sent until the receiver has it. */
export class Announcer {
  constructor(private readonly parts: AnnouncerParts) {}

  /** Throws `NotDelivered` where the webhook did not take the event. */
  async announce(reported: ReportedEvent, signal: AbortSignal): Promise<StoredEvent> {
    const { clock, log, webhook } = this.parts;
    const { event, isNew } = await log.add(reported, clock.now());
    if (isNew) this.#notice(event);
    if (webhook === null || event.delivered) return event;
    await webhook.send({ id: event.id, body: notificationOf(event) }, signal);
    await log.markDelivered(event.id);
    return { ...event, delivered: true };
  }

  #notice({ kind, message, severity, step, taskId }: StoredEvent): void {
    this.parts.observer.noticed({
      level: LEVELS[severity],
      name: kind === 'alert' ? 'rollback_failed_alert' : 'event_reported',
      message: `${message} (step ${step})`,
      taskId,
      module: 'monitor',
    });
  }
}
