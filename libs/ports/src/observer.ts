import type { Direction, JournalEntry, Task } from '#core';
import type { CommandContext } from './command-handler.js';

/**
 * Receives changes of tasks after they are stored, for metrics, logs and live views. Must not throw
 * and must not wait.
 */
export interface Observer {
  /** `task` as stored, with the journal entries that this commit added (perhaps none). */
  committed(task: Task, entries: readonly JournalEntry[]): void;
  /**
   * Something went wrong that no task's journal tells: a store or a broker that does not answer, a
   * lost race.
   */
  noticed(notice: Notice): void;
  /** A message of a module was dealt with. Default: nobody wants to know. */
  delivered?(news: DeliveryNews): void;
}

/**
 * The result of a message. `claimed`: its action was claimed. `stale`: nothing came of it, because
 * the document does not want it now. `later`: nobody here could take it, so it was given back.
 */
export interface DeliveryNews {
  readonly module: string;
  readonly outcome: 'claimed' | 'stale' | 'later';
  /**
   * Claimed: how long ago it was due to start, in milliseconds; null where documents of older
   * builds do not tell.
   */
  readonly waitedMs: number | null;
}

/** A thing operators want counted and logged. */
export interface Notice {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Stable name, for metrics: `publish_failed`, `commit_conflict`, `stale_message` ... */
  readonly name: string;
  readonly message: string;
  readonly taskId?: string;
  readonly module?: string;
  readonly error?: unknown;
}

/** An attempt, as the process knows it that claimed it. */
export interface TracedAttempt {
  /** The document with the claim. */
  readonly task: Task;
  /** Id of the step's run. */
  readonly run: string;
  readonly direction: Direction;
  readonly attempt: number;
}

/**
 * Tells a tracing backend what becomes of tasks. It observes what is committed, and makes spans of
 * that alone: the process that commits how an attempt ended tells of the attempt, so each is told
 * of once, also one whose process was killed.
 */
export interface Tracer extends Observer {
  /** W3C trace context of an attempt, for what its command calls. Never throws. */
  traceparentOf(attempt: TracedAttempt): string;
  /**
   * Runs the work of an attempt so that the spans it makes are children of the attempt's. Throws
   * what the work throws.
   */
  within<T>(context: Pick<CommandContext, 'traceparent'>, work: () => T): T;
  /** Sends what is left, within a few seconds. Never rejects. Safe to call twice. */
  close(): Promise<void>;
}
