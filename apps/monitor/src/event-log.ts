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

/** When an event is stored, and whether somebody is to be told of it. */
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
  /** Removes at most so many events that were reported before a moment; returns how many. */
  removeOld(before: number, limit: number): Promise<number>;
  /** The newest events first, of one task or of all. */
  list(limit: number, taskId?: string): Promise<readonly StoredEvent[]>;
}
