import { nearName } from '#wording';
import { WrongSchedule } from './wrong-schedule.js';

/** Names of zones, and no offsets: those know nothing of daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Names that were found good; there are some hundreds. */
const good = new Set<string>();

/** Throws `WrongSchedule` for what is no name of a time zone that this machine knows. */
export function expectTimezone(name: string): void {
  if (good.has(name)) return;
  if (isTimezone(name)) {
    good.add(name);
    return;
  }
  const near = nearName(name, Intl.supportedValuesOf('timeZone'));
  const meant = near === undefined ? '' : `Did you mean \`${near}\`? `;
  const message = '`timezone` is not the name of a time zone.';
  const hint = `${meant}Write a name such as \`Europe/Berlin\` or \`UTC\`.`;
  throw new WrongSchedule('WRONG_TIMEZONE', 'timezone', { message, hint });
}

function isTimezone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    // Throws for a name that it does not know.
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}
