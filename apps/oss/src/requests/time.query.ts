import { patternRule, readAs, type Rule } from './request-query.js';

const LONG_MONTHS = '(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])';
const SHORT_MONTHS = '(0[469]|11)-(0[1-9]|[12][0-9]|30)';
const FEBRUARY = '02-(0[1-9]|1[0-9]|2[0-8])';
const LEAP_YEAR = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DAY = `([0-9]{4}-(${LONG_MONTHS}|${SHORT_MONTHS}|${FEBRUARY})|${LEAP_YEAR}-02-29)`;
const HOURS = '([01][0-9]|2[0-3])';
const CLOCK = `(${HOURS}:[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?|24:00(:00([.]0+)?)?)`;
const ZONE = `(Z|[+-]${HOURS}:?[0-5][0-9])`;

/** A moment as queries have it, read to milliseconds since 1970. */
export const TIME: Rule<number> = readAs(
  patternRule(
    `^([0-9]{1,12}|${DAY}(T${CLOCK}${ZONE}?)?)$`,
    'seconds since 1970 or a time like 2026-01-31T08:00:00Z',
  ),
  readTime,
);
/** The form of it, in words. */
export const TIME_FORM = 'Seconds since 1970, or ISO 8601; without an offset it is UTC.';

function readTime(text: string): number | null {
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  // Else it would be the time of wherever the gateway stands.
  const ms = Date.parse(/T[^Z+-]+$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : ms;
}
