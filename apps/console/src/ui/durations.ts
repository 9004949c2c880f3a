import { WORDS } from '../words.js';

const { time: TEXT } = WORDS;

const UNITS = [
  [TEXT.units.day, 86_400],
  [TEXT.units.hour, 3_600],
  [TEXT.units.minute, 60],
  [TEXT.units.second, 1],
] as const;

/** Seconds as people say them, by their two largest units: `2 h 5 min`. */
export function durationWords(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  if (rest === 0) return TEXT.underSecond;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.join(' ');
}

/** Below this many seconds, the first tenth is told too. */
const TENTHS_BELOW = 10;

/** Seconds that are known exactly, as people say them: `61 ms`, `1.2 s`, `2 min 5 s`. */
export function shortWords(seconds: number): string {
  if (seconds < 1) return TEXT.milliseconds(Math.max(0, Math.round(seconds * 1_000)));
  if (seconds >= TENTHS_BELOW) return durationWords(seconds);
  return `${Number(seconds.toFixed(1))} ${TEXT.units.second}`;
}

/** The time between two whole seconds, within which something began and ended. */
export function wholeWords(seconds: number): string {
  return seconds === 1 ? TEXT.underTwo : durationWords(seconds);
}

/** How long ago a moment is, or until it comes; both in seconds since 1970. */
export function relativeWords(at: number, now: number): string {
  const seconds = now - at;
  if (Math.abs(seconds) < 5) return TEXT.justNow;
  const [first = '', unit = ''] = durationWords(Math.abs(seconds)).split(' ');
  return seconds > 0 ? TEXT.ago(`${first} ${unit}`) : TEXT.ahead(`${first} ${unit}`);
}

/**
 * A moment by the clock of the reader, as though it were UTC. The first text by `Intl` takes up to
 * a tenth of a second, for which a page would stand still while it is loaded.
 */
function localOf(at: number): Date {
  return new Date(at * 1_000 - new Date(at * 1_000).getTimezoneOffset() * 60_000);
}

function dateWords(day: Date): string {
  return `${day.getUTCDate()} ${TEXT.months[day.getUTCMonth()]?.slice(0, 3)}`;
}

/** A moment in the reader's zone, and the zone. */
export function absoluteWords(at: number, clock = clockWords): string {
  const day = localOf(at);
  return `${dateWords(day)} ${day.getUTCFullYear()}, ${clock(at)} ${zoneWords(at)}`;
}

/** The same, with milliseconds. */
export const exactWords = (at: number): string => absoluteWords(at, exactClockWords);

/** A day, and which of the week it is. */
export function dayWords(at: number): string {
  const day = localOf(at);
  const words = [TEXT.days[day.getUTCDay()], day.getUTCDate(), TEXT.months[day.getUTCMonth()]];
  return `${words.join(' ')} ${day.getUTCFullYear()}`;
}

/** The time of a moment within its day. */
export const clockWords = (at: number): string => localOf(at).toISOString().slice(11, 19);

/** The same, with milliseconds. */
export const exactClockWords = (at: number): string => localOf(at).toISOString().slice(11, 23);

/** A time of day at an axis, where the zone stands beside the axis. */
export const axisClockWords = (at: number): string => localOf(at).toISOString().slice(11, 16);

/** An hour of a day, with the reader's zone. */
export const hourWords = (at: number): string => `${axisClockWords(at)} ${zoneWords(at)}`;

/** A day that is counted in UTC, as statistics are. */
export const utcDayWords = (at: number): string =>
  TEXT.zoned(dateWords(new Date(at * 1_000)), TEXT.utc);

/** The reader's zone at a moment: `UTC`, `GMT+5:30`. */
export function zoneWords(at: number): string {
  const east = -new Date(at * 1_000).getTimezoneOffset();
  if (east === 0) return TEXT.utc;
  const [hours, minutes] = [Math.floor(Math.abs(east) / 60), Math.abs(east) % 60];
  const part = minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`;
  return TEXT.east(`${east > 0 ? '+' : '-'}${hours}${part}`);
}

/** A moment as the interface tells it (ISO 8601), in seconds since 1970. */
export function secondsOf(moment: string): number {
  return Date.parse(moment) / 1_000;
}
