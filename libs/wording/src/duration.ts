/** `500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds. */
export type Duration = number | `${number}` | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** The pattern of a duration as text, such as `1.5s`. */
export const DURATION_PATTERN = '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$';

const READABLE = new RegExp(DURATION_PATTERN);

/** Longer than anybody means to wait; a longer one is a slip of the pen. */
const MAX_MS = 365 * 24 * 3_600_000;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Thrown for what is no duration; the message says how to write one. */
export class WrongDuration extends RangeError {
  /** `fault`: what goes on a sentence after "is". */
  constructor(
    readonly fault: string,
    advice = '',
  ) {
    super(fault + advice);
  }
}

/**
 * Reads `500ms`, `30s`, `5m`, `1.5h`, `1d`, or a bare number of seconds (as number or text), into
 * whole milliseconds, up to a year of them. Throws `WrongDuration`.
 */
export function parseDuration(written: string | number): number {
  const ms = Math.round(typeof written === 'number' ? written * 1_000 : textMs(written));
  if (ms > MAX_MS) throw new WrongDuration('too long: at most 365d, one year');
  if (ms >= 0) return ms;
  const advice = ': write 500ms, 30s, 5m, 2h or 1d, or a number of seconds';
  throw new WrongDuration('not a duration', advice);
}

/** Like `parseDuration`; null: it is no duration, or too long. */
export function readDuration(written: string | number): number | null {
  try {
    return parseDuration(written);
  } catch {
    return null;
  }
}

/** Like `parseDuration`, of at least a millisecond. */
export function parsePositiveDuration(written: string | number): number {
  const ms = parseDuration(written);
  if (ms >= 1) return ms;
  throw new WrongDuration('too short: at least 1ms');
}

/** Writes milliseconds the shortest way that `parseDuration` reads back. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of [...UNITS].reverse()) {
    if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

/**
 * Milliseconds since 1970 of a time in ISO 8601; NaN also for a day that there is not, such as 31
 * February, which `Date.parse` takes for a later one.
 */
export function momentMs(text: string): number {
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  const isReal = !Number.isNaN(day) && text.startsWith(new Date(day).toISOString().slice(0, 10));
  return isReal ? Date.parse(text) : NaN;
}

function textMs(text: string): number {
  if (!READABLE.test(text)) return NaN;
  const unit = /[a-z]+$/.exec(text)?.[0] ?? 's';
  return Number.parseFloat(text) * (UNITS.get(unit) ?? NaN);
}
