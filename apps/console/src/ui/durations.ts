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

/** Makes texts of moments, in seconds since 1970; making it takes longer than its texts. */
function writer(style: Intl.DateTimeFormatOptions): (at: number) => string {
  let format: Intl.DateTimeFormat | null = null;
  return (at) => {
    format ??= new Intl.DateTimeFormat(undefined, style);
    return format.format(new Date(at * 1_000));
  };
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const EXACT = { fractionalSecondDigits: 3 } as const;

/** A moment as the reader's region writes it, with the reader's zone. */
export const absoluteWords = writer({ dateStyle: 'medium', timeStyle: 'long' });

/** The same, with milliseconds. */
export const exactWords = writer({ ...DAY, ...CLOCK, ...EXACT, timeZoneName: 'short' });

/** A day as the reader's region writes it. */
export const dayWords = writer({ dateStyle: 'full' });

/** The time of a moment within its day. */
export const clockWords = writer({ timeStyle: 'medium' });

/** The same, with milliseconds. */
export const exactClockWords = writer({ ...CLOCK, ...EXACT });

/** A time of day at an axis, where the zone stands beside the axis. */
export const axisClockWords = writer({ hour: '2-digit', minute: '2-digit' });

/** An hour of a day, with the reader's zone. */
export const hourWords = writer({ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });

/** A day that is counted in UTC, as statistics are. */
export const utcDayWords = writer({
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
  timeZoneName: 'short',
});

let zoned: Intl.DateTimeFormat | null = null;

/** The reader's zone at a moment, as their region names it: `CET`, `GMT+5:30`. */
export function zoneWords(at: number): string {
  zoned ??= new Intl.DateTimeFormat(undefined, { hour: 'numeric', timeZoneName: 'short' });
  const parts = zoned.formatToParts(new Date(at * 1_000));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** A moment as the interface tells it (ISO 8601), in seconds since 1970. */
export function secondsOf(moment: string): number {
  return Date.parse(moment) / 1_000;
}
