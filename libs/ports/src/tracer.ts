import type { Direction, Task } from '#core';
import type { CommandContext } from './command-handler.js';
import type { Observer } from './observer.js';

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
