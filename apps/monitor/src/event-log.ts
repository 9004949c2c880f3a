import { Loop } from '#engine';
import type { Clock, Observer } from '#ports';

/** Events that one round removes. */
const EVENTS_MAX = 500;

/** From a round that removed all it could to the next one, in milliseconds. */
const REST_MS = 500;

/** From any other round to the next one, in milliseconds, unless events are kept for less. */
const PAUSE_MAX_MS = 3_600_000;

/** The events, and how long they are kept. */
interface RetentionParts {
  readonly clock: Clock;
  readonly events: Pick<EventLog, 'removeOld'>;
  readonly keptMs: number;
  readonly observer: Observer;
}

/** How much an event matters. */
export type Severity = 'info' | 'warning' | 'critical';

/** Something a task reported. */
export interface ReportedEvent {
  /** The same for every attempt at reporting it. */
  readonly id: string;
  /** An `alert` is raised by Backstep itself: a rollback failed. */
  readonly kind: 'event' | 'alert';
  readonly severity: Severity;
  readonly taskId: string;
  readonly flow: string;
  readonly step: string;
  readonly direction: string;
  readonly message: string;
}

/** An event as it is kept. `at` is when it was reported first, ISO 8601. */
export interface StoredEvent extends ReportedEvent {
  readonly at: string;
  /** Whether the webhook has it; null where there was none when the event was reported. */
  readonly delivered: boolean | null;
}

/** When an event is stored, and whether a notification of it is due. */
export interface Storing {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly hasReceiver: boolean;
}

/** The events that tasks have reported, each once. May throw `StoreUnavailable`. */
export interface EventLog {
  /** Stores an event unless it is there; returns it as it was stored first. */
  add(event: ReportedEvent, storing: Storing): Promise<{ event: StoredEvent; isNew: boolean }>;
  /** The webhook has the event. */
  markDelivered(id: string): Promise<void>;
  /** Removes at most `limit` events that were reported before a moment; returns how many. */
  removeOld(before: number, limit: number): Promise<number>;
  /** The newest events first, of one task or of all. */
  list(limit: number, taskId?: string): Promise<readonly StoredEvent[]>;
}

/**
 * Removes events that were reported first longer ago than they are kept, delivered or not. Any
 * number of processes may do so.
 */
export function eventRetention({ clock, events, keptMs, observer }: RetentionParts): Loop {
  const pauseMs = Math.min(PAUSE_MAX_MS, keptMs);
  let isFull = false;
  const work = {
    name: 'event_retention',
    get intervalMs() {
      return isFull ? REST_MS : pauseMs;
    },
    tick: async () => {
      isFull = false;
      isFull = (await events.removeOld(clock.now() - keptMs, EVENTS_MAX)) === EVENTS_MAX;
    },
  };
  return new Loop(work, clock, observer);
}
