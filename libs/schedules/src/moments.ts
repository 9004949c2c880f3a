import { Cron } from 'croner';
import type { ScheduleOrder } from '#ports';
import { momentMs, nearName, parseDuration, WrongDuration } from '#wording';

const CRON_HINT =
  'Write minute, hour, day of the month, month and day of the week, as in `30 2 * * MON-FRI`; ' +
  'a sixth field in front is the second.';

/** Longest text that is read. */
const CRON_LENGTH_MAX = 200;

/** Moments of an expression that were read and are used again. */
const CRONS_MAX = 200;

const knownCrons = new Map<string, Moments>();
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** The last moment of the year 9999. */
const TIME_MAX = 253_402_300_799_999;

/** Names of zones, and no offsets: those know nothing of daylight saving time. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Names that were found good; there are some hundreds. */
const knownZones = new Set<string>();

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

/** The faults that the times of a schedule may have. */
type ScheduleFault =
  | 'WRONG_CRON'
  | 'WRONG_TIMEZONE'
  | 'WRONG_DURATION'
  | 'WRONG_TIME'
  | 'NO_MOMENT';

/** Where it is at fault. */
type FaultyMember = 'cron' | 'every' | 'at' | 'timezone';

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

/** Throws `WrongSchedule` for what is no name of a time zone that this machine knows. */
function expectTimezone(name: string): void {
  if (knownZones.has(name)) return;
  if (isTimezone(name)) {
    knownZones.add(name);
    return;
  }
  const near = nearName(name, Intl.supportedValuesOf('timeZone'));
  const meant = near === undefined ? '' : `Did you mean \`${near}\`? `;
  const message = '`timezone` is not the name of a time zone.';
  const hint = `${meant}Write a name such as \`Europe/Berlin\` or \`UTC\`.`;
  throw new WrongSchedule('WRONG_TIMEZONE', 'timezone', { message, hint });
}

function isTimezone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    // Throws for a name that it does not know.
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}

/**
 * A moment as people write it, in milliseconds since 1970: seconds as a number, or ISO 8601;
 * without an offset it is the time of a clock in the time zone. Throws `WrongSchedule`.
 */
function readTime(written: string | number, timezone: string): number {
  const ms = typeof written === 'number' ? Math.round(written * 1_000) : textMs(written, timezone);
  if (Number.isFinite(ms) && ms >= 0 && ms <= TIME_MAX) return ms;
  const message = '`at` is not a time.';
  const hint = 'Write ISO 8601, as in `2027-03-01T09:00:00+01:00`, or seconds since 1970.';
  throw new WrongSchedule('WRONG_TIME', 'at', { message, hint });
}

function textMs(text: string, timezone: string): number {
  const found = ISO_TIME.exec(text);
  if (found === null || Number.isNaN(momentMs(text))) return NaN;
  return found[1] === undefined ? localMs(text, timezone) : Date.parse(text);
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

/**
 * The moments of a cron expression in a time zone. Where the clock is set forward, a fixed time
 * that it jumps over comes at the end of the jump; where it is set back, a fixed time comes once,
 * and what repeats by `*` or a step goes on repeating. Throws `WrongSchedule`.
 */
function cronMoments(text: string, timezone: string): Moments {
  const key = `${timezone} ${text}`;
  const found = knownCrons.get(key);
  if (found !== undefined) return found;
  const made = momentsIn(readCron(text, timezone));
  if (knownCrons.size >= CRONS_MAX) knownCrons.delete(knownCrons.keys().next().value!);
  knownCrons.set(key, made);
  return made;
}

function readCron(text: string, timezone: string): Cron {
  const fields = text.trim().split(/\s+/).length;
  if (text.length > CRON_LENGTH_MAX || (fields !== 5 && fields !== 6)) {
    const message = '`cron` has five fields or six.';
    throw new WrongSchedule('WRONG_CRON', 'cron', { message, hint: CRON_HINT });
  }
  try {
    const options = { mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', timezone } as const;
    return new Cron(text, options);
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '');
    const message = `\`cron\` is not a cron expression: ${reason.replace(/\.$/, '')}.`;
    throw new WrongSchedule('WRONG_CRON', 'cron', { message, hint: CRON_HINT });
  }
}

function momentsIn(cron: Cron): Moments {
  // Finding it takes long, and who decides, who shows it and who decides again ask for the same.
  let asked = NaN;
  let answer: number | null = null;
  const next = (after: number): number | null => {
    if (after !== asked) answer = cron.nextRun(new Date(after))?.getTime() ?? null;
    asked = after;
    return answer;
  };
  return {
    next,
    last: ({ before, from }, limit) => {
      const runs = cron.previousRuns(limit, new Date(before)).map((run) => run.getTime());
      return runs.filter((run) => run >= from).toSorted((a, b) => a - b);
    },
    count: ({ before, from }: Span, max) => {
      let count = 0;
      for (let at = next(from - 1); at !== null && at < before && count < max; at = next(at)) {
        count += 1;
      }
      return count;
    },
  };
}

/** The times of a schedule that is not one. The message is a sentence. */
export class WrongSchedule extends Error {
  override readonly name = 'WrongSchedule';

  constructor(
    readonly code: ScheduleFault,
    readonly member: FaultyMember,
    { hint, message }: { readonly message: string; readonly hint: string },
  ) {
    super(message);
    this.hint = hint;
  }

  /** Advice for the author of the schedule: what to write instead. */
  readonly hint: string;
}
