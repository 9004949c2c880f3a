import type { Clock } from '#ports';
import type { Outgoing } from './envelope.js';

/** For so long a queue is left alone that did not take a message, in milliseconds. */
const AVOIDED_MS = 10_000;

/** For so long one is left alone that is not there and may not be made, in milliseconds. */
const UNDECLARABLE_MS = 60_000;

/**
 * Knows which queues did not take a message lately that another one takes as well. Of those that
 * keep nothing, none is there where the executors are of an older build, and one whose node is down
 * refuses what it gets. Those of a priority may be missing where only an administrator makes any.
 */
export class Detours {
  /** When each may be tried again, by the monotonic clock. */
  readonly #avoidedUntil = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The message as it is sent now. */
  route(outgoing: Outgoing): Outgoing {
    const until = this.#avoidedUntil.get(outgoing.queue);
    if (until === undefined) return outgoing;
    if (until > this.clock.monotonic()) return around(outgoing) ?? outgoing;
    this.#avoidedUntil.delete(outgoing.queue);
    return outgoing;
  }

  /** Its queue has not taken the message: the message for the other one, or null without one. */
  refused(outgoing: Outgoing): Outgoing | null {
    if (outgoing.otherwise === undefined) return null;
    return this.#avoid(outgoing, AVOIDED_MS);
  }

  /** Its queue may not be declared: the message for the fallback, or null without one. */
  undeclarable(outgoing: Outgoing): Outgoing | null {
    return this.#avoid(outgoing, UNDECLARABLE_MS);
  }

  #avoid(outgoing: Outgoing, ms: number): Outgoing | null {
    const other = around(outgoing);
    if (other !== null) this.#avoidedUntil.set(outgoing.queue, this.clock.monotonic() + ms);
    return other;
  }
}

/** In a queue that keeps what it gets, a message is kept on disk. */
function around({ fallback, otherwise = fallback, ...outgoing }: Outgoing): Outgoing | null {
  if (otherwise === undefined) return null;
  return {
    ...outgoing,
    queue: otherwise,
    properties: { ...outgoing.properties, persistent: true },
  };
}
