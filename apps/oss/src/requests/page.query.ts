import { InvalidCursor } from '#ports';
import { lineForm, PAGE_DEFAULT, PAGE_MAX, WHOLE_PAGE_MAX } from './limits.js';
import { formRule, orElse, parameter, type QueryParameter, wholeRule } from './request-query.js';

/** Of an encoded place, whose names may be long. */
const CURSOR_LENGTH_MAX = 4_000;

/** How a cursor that does not fit is refused: it must be that. */
export const CURSOR = '`page.nextCursor` of the page before';

/** Most things of a page. */
export function pageLimit(what: string): QueryParameter<number> {
  return orElse(parameter(`Most ${what} of a page.`, wholeRule(1, PAGE_MAX)), PAGE_DEFAULT);
}

/** The same of a list that most callers want as a whole. */
export function wholePageLimit(what: string): QueryParameter<number> {
  const rule = wholeRule(1, WHOLE_PAGE_MAX);
  return orElse(parameter(`Most ${what} of a page.`, rule), WHOLE_PAGE_MAX);
}

/** One page of a list. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: { readonly nextCursor: string | null };
}

/** Which page of a list is wanted. */
interface Wanted {
  /** Of the page before; undefined: the first page is wanted. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** The cursor of a list in the order of places. */
export function placeCursor(addition = ''): QueryParameter<string | undefined> {
  const rule = formRule(lineForm(1, CURSOR_LENGTH_MAX), CURSOR);
  return parameter(`${CURSOR}${addition}.`, rule);
}

/** The cursor of the page behind this place. */
export function cursorAfter(place: string): string {
  return Buffer.from(place).toString('base64url');
}

/** The place behind which a page begins. Throws `InvalidCursor` for a text that no page gave. */
export function placeBefore(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (cursorAfter(place) === cursor) return place;
  throw new InvalidCursor('The cursor is not one that a page of this list gave.');
}

/**
 * The wanted page of a list that is there as a whole. `placeOf` gives the place of an item: a text
 * that no other has, in whose order the list is. So nothing is listed twice, or left out, when
 * items come and go between two pages.
 */
export function pageOf<Item>(
  all: readonly Item[],
  placeOf: (item: Item) => string,
  { cursor, limit }: Wanted,
): Page<Item> {
  const after = cursor === undefined ? '' : placeBefore(cursor);
  const rest = all.filter((item) => placeOf(item) > after);
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  return { items, page: { nextCursor: last === undefined ? null : cursorAfter(placeOf(last)) } };
}
