import { now } from '../browser/clock.js';
import { zoneWords } from '../ui/durations.js';
import { WORDS } from '../words.js';
import { valueIn, withMember } from './search.js';

/** Members of a search that bound when tasks were created. */
const MEMBERS = ['age', 'createdAfter', 'createdBefore'] as const;

/** The choice for two moments, between which tasks were created. */
export const BETWEEN = 'between';

/** The time range of a search: an age such as `<1h`, {@link BETWEEN}, or nothing. */
export function rangeIn(text: string): string {
  const age = valueIn(text, 'age');
  if (age !== '') return age;
  return MEMBERS.some((name) => valueIn(text, name) !== '') ? BETWEEN : '';
}

/** The search with this range alone. */
export function withRange(text: string, range: string): string {
  const bare = MEMBERS.reduce((rest, name) => withMember(rest, name, ''), text);
  return range === BETWEEN ? bare : withMember(bare, 'age', range);
}

/** A moment of a search as a box for the reader's own time shows it. */
export function localTime(text = ''): string {
  const at = new Date(/^\d{1,12}$/.test(text) ? Number(text) * 1_000 : text);
  if (Number.isNaN(at.getTime())) return '';
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** The name of such a box, with the zone of what is written in it. */
export function ownTimeWords(name: string): string {
  return WORDS.time.zoned(name, zoneWords(now() / 1_000));
}

/** The moment of such a box as the server takes it; empty: none is given. */
export function instantOf(local: string): string {
  return local === '' ? '' : new Date(local).toISOString();
}
