import type { Dispatch } from '#core';
import type { TransportUnavailable } from './errors.js';

/**
 * The verdict on a delivered message. `ack`: it has done its work or was stale. `later`: nobody
 * here can take it now; give it back so that another process may, without a hot loop.
 */
export type DeliveryVerdict = 'ack' | 'later';

/**
 * A message is not alone. `mixed`: some with another priority than 0 wait beside it in this
 * process. `no_place`: it is not to be started, and goes back to its queue, perhaps to its end.
 */
export type Crowd = 'mixed' | 'no_place';

/** Handles one message; never throws for what is wrong with the message itself. */
export type DeliveryHandler = (dispatch: Dispatch, crowd?: Crowd) => Promise<DeliveryVerdict>;

/** Messages of one module that wait in this process until there is a place for them. */
export interface WaitingLine {
  /** Order time of the one that comes next; infinite where none waits. */
  readonly nextAt: number;
  /** A place has become free. */
  serve(): void;
}

/**
 * The places of a process for work on one module. Messages share them with work that needs no
 * message; so whether there is one changes while nothing is delivered.
 */
export interface Places {
  /** How many there are. */
  readonly count: number;
  /** How many are free now, for a message that goes before whatever else waits. */
  readonly free: number;
  /** From now on `line` is told of places, and counts among what waits. There is one at most. */
  join(line: WaitingLine): void;
  leave(line: WaitingLine): void;
}

/** How many messages may be in hand at once, or the places that decide it. */
export type Concurrency = number | Places;

/** The most messages that may be in hand at once. */
export function mostInHand(concurrency: Concurrency): number {
  return typeof concurrency === 'number' ? concurrency : concurrency.count;
}

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

/** How messages are sent. */
export interface PublishOptions {
  /**
   * The sender can bear the loss of these messages with the broker's process: the transport may
   * send them by a way that is faster and keeps nothing. Default false.
   */
  readonly mayBeLost?: boolean;
}

/**
 * Something that keeps messages from moving while the broker answers. `alarm`: it takes none now.
 * `not_sent`: the last message was not taken. `not_received`: this process cannot subscribe.
 */
export interface TransportTrouble {
  readonly kind: 'alarm' | 'not_sent' | 'not_received';
  /** The module whose messages it is about; null: those of all. */
  readonly module: string | null;
  /** One sentence, with the broker's own words. */
  readonly message: string;
  /** Milliseconds since 1970, by this process's clock. */
  readonly since: number;
}

/**
 * Carries step messages to modules. A message may be lost, repeated, late or out of order: the task
 * document and governance make that harmless.
 */
export interface StepTransport {
  /**
   * Whether of all messages that wait for a module, the one with the smallest order time is always
   * the next. Default: they come in about that order.
   */
  readonly isOrdered?: true;
  /**
   * Sends messages, each to the queue of its module. Resolves when the broker has all of them.
   * Throws `TransportUnavailable` when that is not known in time; the messages may have arrived all
   * the same.
   */
  publish(dispatches: readonly Dispatch[], options?: PublishOptions): Promise<void>;
  /**
   * Consumes a module's queue with at most `concurrency` messages in hand. Of those that wait the
   * more urgent come first, as exactly as the transport can tell, and none waits for ever. Survives
   * reconnects by itself.
   */
  consume(module: string, concurrency: Concurrency, handler: DeliveryHandler): Promise<Consumer>;
  /**
   * Why nothing can be sent now, or null where nothing is known to be in the way. Read from the
   * transport's own state: it costs nothing and never throws.
   */
  readonly obstacle: TransportUnavailable | null;
  /** Length of a module's queue. Never throws. */
  depth(module: string): Promise<QueueDepth>;
  /**
   * How many subscriptions a module's queue has, of all processes; null where that cannot be told.
   * Never throws.
   */
  receivers(module: string): Promise<number | null>;
  /** As this process has met them; each is gone when its opposite was seen. Never throws. */
  troubles(): readonly TransportTrouble[];
  /**
   * Resolves when the broker answers and this process has its subscriptions, though an alarm may
   * hold messages back; else throws `TransportUnavailable`. For readiness.
   */
  ping(): Promise<void>;
  /**
   * Stops everything and lets go of the broker, within a few seconds whatever the broker does. Safe
   * to call twice.
   */
  close(): Promise<void>;
}
