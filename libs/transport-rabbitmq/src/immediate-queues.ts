import type { Clock } from '#ports';
import type { Outgoing } from './envelope.js';

/** For so long a queue is left alone that did not take a message, in milliseconds. */
const AVOIDED_MS = 10_000;

/**
 * Knows which of the queues that keep nothing did not take a message lately: none is there where
 * the executors are of an older build, and one whose node is down refuses what it gets.
 */
export class ImmediateQueues {
  /** When each may be tried again, by the monotonic clock. */
  readonly #avoidedUntil = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The message as it is sent now. */
  route(outgoing: Outgoing): Outgoing {
    const until = this.#avoidedUntil.get(outgoing.queue);
    if (until === undefined) return outgoing;
    if (until > this.clock.monotonic()) return around(outgoing);
    this.#avoidedUntil.delete(outgoing.queue);
    return outgoing;
  }

  /** Its queue has not taken the message: the message for the other one, or null without one. */
  refused(outgoing: Outgoing): Outgoing | null {
    const { otherwise, queue } = outgoing;
    if (otherwise === undefined) return null;
    this.#avoidedUntil.set(queue, this.clock.monotonic() + AVOIDED_MS);
    return around(outgoing);
  }
}

/** In a queue that keeps what it gets, a message is kept on disk. */
function around({ otherwise, ...outgoing }: Outgoing): Outgoing {
  if (otherwise === undefined) return outgoing;
  return {
    ...outgoing,
    queue: otherwise,
    properties: { ...outgoing.properties, persistent: true },
  };
}
