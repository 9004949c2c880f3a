import { Loop } from '#engine';
import type { Clock, Observer } from '#ports';
import type { EventLog } from './event-log.js';

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
