import { hash } from 'node:crypto';
import { NoAnswer, withinLimit } from '#machine';
import { type Clock, type Notice, type Observer, StoreUnavailable } from '#ports';
import type { EventLog, ReportedEvent, Severity, StoredEvent } from './event-log.js';
import type { Webhook } from './webhook.js';

/** How Alertmanager writes that something has not ended. */
const NOT_ENDED = '0001-01-01T00:00:00Z';

/** Dependencies of an announcer. */
interface AnnouncerParts {
  readonly clock: Clock;
  readonly log: EventLog;
  readonly observer: Observer;
  /** Null where no webhook is configured: then the log is all there is. */
  readonly webhook: Webhook | null;
  /** Origin of the gateway as people reach it, for links. Null, the default: none is known. */
  readonly publicUrl?: string | null | undefined;
}

/**
 * How long the event log may take for an event or its mark, far less than an attempt has: the
 * webhook has its own limit besides.
 */
const EVENT_MS = 5_000;
const MARK_MS = 2_000;

const LEVELS: Readonly<Record<Severity, Notice['level']>> = {
  info: 'info',
  warning: 'warn',
  critical: 'error',
};

/** Tells people about an event: stored and logged once, sent until the receiver has it. */
export class Announcer {
  constructor(private readonly parts: AnnouncerParts) {}

  /** Throws `NotDelivered`, and `StoreUnavailable` where the event log does not answer in time. */
  async announce(reported: ReportedEvent, signal: AbortSignal): Promise<StoredEvent> {
    const { publicUrl, webhook } = this.parts;
    const { event, isNew } = await this.#add(reported, signal);
    if (isNew) this.#notice(event);
    if (webhook === null || event.delivered === true) return event;
    await webhook.send({ id: event.id, body: notificationOf(event, publicUrl) }, signal);
    await this.#markDelivered(event);
    return { ...event, delivered: true };
  }

  #add(
    reported: ReportedEvent,
    signal: AbortSignal,
  ): Promise<{ readonly event: StoredEvent; readonly isNew: boolean }> {
    const { clock, log, webhook } = this.parts;
    const storing = { now: clock.now(), hasReceiver: webhook !== null };
    const limit = { clock, ms: EVENT_MS, signal };
    return withinLimit(() => log.add(reported, storing), limit).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      throw new StoreUnavailable(`the event log gave ${error.message}`, { cause: error });
    });
  }

  /** The receiver has the event: a mark that takes its time is no reason to send it again. */
  async #markDelivered({ id, taskId }: StoredEvent): Promise<void> {
    const { clock, log, observer } = this.parts;
    const limit = { clock, ms: MARK_MS };
    await withinLimit(() => log.markDelivered(id), limit).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      const message = `event ${id} was delivered, but the delivery could not be recorded in time`;
      observer.noticed({ level: 'warn', name: 'delivery_not_marked', message, taskId });
    });
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

/**
 * An event as a webhook of Alertmanager (its version 4), which on-call tools read, with a `task` of
 * its own for programs that know Backstep. `publicUrl`: origin of the gateway; null: not known.
 */
function notificationOf(event: StoredEvent, publicUrl: string | null = null): object {
  const { at, direction, flow, kind, message, severity, step, taskId } = event;
  const alertname = kind === 'alert' ? 'BackstepRollbackFailed' : 'BackstepEvent';
  const labels = { alertname, severity, flow, step, task_id: taskId };
  const annotations = { summary: message, description: descriptionOf(event) };
  const page = publicUrl === null ? '' : `${publicUrl}/console/tasks/${encodeURIComponent(taskId)}`;
  return {
    version: '4',
    groupKey: `{}:{task_id="${taskId}"}`,
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'backstep',
    groupLabels: { task_id: taskId },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: publicUrl ?? '',
    alerts: [
      {
        status: 'firing',
        labels,
        annotations,
        startsAt: at,
        endsAt: NOT_ENDED,
        generatorURL: page,
        fingerprint: hash('sha256', JSON.stringify(labels), 'hex').slice(0, 16),
      },
    ],
    task: { taskId, flow, step, direction, event: kind, message },
  };
}

function descriptionOf({ flow, kind, step, taskId }: StoredEvent): string {
  const where = `Task ${taskId} of flow ${flow}, step ${step}.`;
  if (kind !== 'alert') return where;
  return (
    `${where} Its rollback failed and waits for a person: ` +
    `\`backstep task retry ${taskId}\`, or \`backstep task skip ${taskId}\`.`
  );
}
