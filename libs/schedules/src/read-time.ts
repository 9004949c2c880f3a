import { Cron } from 'croner';
import { WrongSchedule } from './wrong-schedule.js';

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** The last moment of the year 9999. */
const TIME_MAX = 253_402_300_799_999;

/**
 * A moment as people write it, in milliseconds since 1970: seconds as a number, or ISO 8601;
 * without an offset it is the time of a clock in the time zone. Throws `WrongSchedule`.
 */
export function readTime(written: string | number, timezone: string): number {
  const ms = typeof written === 'number' ? Math.round(written * 1_000) : textMs(written, timezone);
  if (Number.isFinite(ms) && ms >= 0 && ms <= TIME_MAX) return ms;
  const message = '`at` is not a time.';
  const hint = 'Write ISO 8601, as in `2027-03-01T09:00:00+01:00`, or seconds since 1970.';
  throw new WrongSchedule('WRONG_TIME', 'at', { message, hint });
}

function textMs(text: string, timezone: string): number {
  const found = ISO.exec(text);
  if (found === null) return NaN;
  // A day that there is not, such as 31 February, would be taken for a later one.
  if (Number.isNaN(dayOf(text))) return NaN;
  return found[1] === undefined ? localMs(text, timezone) : Date.parse(text);
}

function dayOf(text: string): number {
  const day = text.slice(0, 10);
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day) ? ms : NaN;
}

function localMs(text: string, timezone: string): number {
  const [day = '', time = '00:00'] = text.split('T');
  const [clock = '', fraction = '0'] = (time.length === 5 ? `${time}:00` : time).split('.');
  try {
    const local = new Cron(`${day}T${clock}`, { timezone });
    const whole = local.nextRun(new Date(0))?.getTime() ?? NaN;
    return whole + Number(fraction.padEnd(3, '0'));
  } catch {
    return NaN;
  }
}
