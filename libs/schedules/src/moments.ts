import type { ScheduleOrder } from '#ports';
import { parseDuration, WrongDuration } from '#wording';
import { cronMoments } from './cron-moments.js';
import { readTime } from './read-time.js';
import { expectTimezone } from './timezone.js';
import { WrongSchedule } from './wrong-schedule.js';

/** The moments of a schedule, in milliseconds since 1970. */
export interface Moments {
  /** The first after a time; null: there is none. */
  next(after: number): number | null;
  /** The last of those from one time on and before another, in their order. */
  last(span: Span, limit: number): readonly number[];
  /** How many there are in a span; counting may stop at `max`. */
  count(span: Span, max: number): number;
}

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  /** The first that counts. */
  readonly from: number;
  /** The first that does not. */
  readonly before: number;
}

/** The shortest time between two moments. */
const SHORTEST_MS = 1_000;

/** The moments of a schedule whose timing was stored at a time. Throws `WrongSchedule`. */
export function momentsOf(
  { timezone, timing }: Pick<ScheduleOrder, 'timezone' | 'timing'>,
  anchor: number,
): Moments {
  expectTimezone(timezone);
  if ('cron' in timing) return cronMoments(timing.cron, timezone);
  if ('every' in timing) return everyMoments(readEvery(timing.every), anchor);
  return onceMoments(readTime(timing.at, timezone));
}

function readEvery(written: string | number): number {
  const hint = 'Write 30s, 5m, 2h or 1d, or a number of seconds, from 1s to 365d.';
  try {
    const ms = parseDuration(written);
    if (ms >= SHORTEST_MS) return ms;
    const message = '`every` is too short: at least one second.';
    throw new WrongSchedule('WRONG_DURATION', 'every', { message, hint });
  } catch (error) {
    if (!(error instanceof WrongDuration)) throw error;
    const message = `\`every\` is ${error.fault}.`;
    throw new WrongSchedule('WRONG_DURATION', 'every', { message, hint });
  }
}

function everyMoments(everyMs: number, anchor: number): Moments {
  /** How many there are up to a time, this one included. */
  const upTo = (time: number): number => Math.max(0, Math.floor((time - anchor) / everyMs));
  const countIn = ({ before, from }: Span): number =>
    Math.max(0, upTo(before - 1) - upTo(from - 1));
  return {
    next: (after) => anchor + (upTo(after) + 1) * everyMs,
    last: (span, limit) => {
      const length = Math.min(limit, countIn(span));
      const end = upTo(span.before - 1);
      return Array.from({ length }, (_, n) => anchor + (end - length + 1 + n) * everyMs);
    },
    count: countIn,
  };
}

function onceMoments(at: number): Moments {
  const isIn = ({ before, from }: Span): boolean => from <= at && at < before;
  return {
    next: (after) => (at > after ? at : null),
    last: (span, limit) => (isIn(span) && limit > 0 ? [at] : []),
    count: (span) => (isIn(span) ? 1 : 0),
  };
}
