import type { Dispatch } from '#core';
import type { TransportUnavailable } from './errors.js';

/**
 * What to do with a delivered message. `ack`: it has done its work or was stale. `later`: nobody
 * here can take it now; give it back so that another process may, without a hot loop.
 */
export type DeliveryVerdict = 'ack' | 'later';

/** Handles one message; never throws for what is wrong with the message itself. */
export type DeliveryHandler = (dispatch: Dispatch) => Promise<DeliveryVerdict>;

/** A running consumer of one module's queue. */
export interface Consumer {
  /**
   * Takes no further message and resolves when the handlers in hand have answered. Safe to call
   * twice.
   */
  stop(): Promise<void>;
}

/** How many messages wait in a module's queue, or null where it cannot be told cheaply now. */
export type QueueDepth = number | null;

/**
 * Carries step messages to modules. A message may be lost, repeated, late or out of order: the task
 * document and governance make that harmless.
 */
export interface StepTransport {
  /**
   * Sends messages, each to the queue of its module. Resolves when the broker has all of them.
   * Throws `TransportUnavailable` when that is not known in time; the messages may have arrived all
   * the same.
   */
  publish(dispatches: readonly Dispatch[]): Promise<void>;
  /**
   * Consumes a module's queue with at most `concurrency` messages in hand. Survives reconnects by
   * itself.
   */
  consume(module: string, concurrency: number, handler: DeliveryHandler): Promise<Consumer>;
  /**
   * Why nothing can be sent now, or null where nothing is known to be in the way. What the
   * transport knows already: asking costs nothing and never throws.
   */
  readonly obstacle: TransportUnavailable | null;
  /** Length of a module's queue. Never throws. */
  depth(module: string): Promise<QueueDepth>;
  /**
   * Resolves when messages can be sent and received; else throws `TransportUnavailable`. For
   * readiness.
   */
  ping(): Promise<void>;
  /**
   * Stops everything and lets go of the broker, within a few seconds whatever the broker does. Safe
   * to call twice.
   */
  close(): Promise<void>;
}
