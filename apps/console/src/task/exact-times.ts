import type { TaskEvent } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';

/** When something began and ended, in seconds since 1970; null: it has not. */
interface Times {
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
}

/** Kinds of events with which a task or an action begins. */
const STARTS: ReadonlySet<string> = new Set(['started']);

/**
 * Times in whole seconds, made exact by the events that happened in these seconds; those that the
 * journal has no event of stay as they are.
 */
export function exactTimes(
  { timeEnd, timeStart }: Times,
  events: readonly TaskEvent[],
): Readonly<Record<'from' | 'to', number | null>> {
  const inSecond = (second: number | null): readonly TaskEvent[] => {
    return events.filter(({ at }) => Math.floor(secondsOf(at)) === second);
  };
  const first = inSecond(timeStart).find(({ kind }) => STARTS.has(kind));
  const last = inSecond(timeEnd).at(-1);
  if (first === undefined || (timeEnd !== null && last === undefined)) {
    return { from: timeStart, to: timeEnd };
  }
  return { from: secondsOf(first.at), to: last === undefined ? null : secondsOf(last.at) };
}
