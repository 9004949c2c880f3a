/** The page of the console that people come back to where they named none. */
export const FIRST_PAGE = '/console/';

/** Longest path of a page, in characters. */
export const LENGTH_MAX = 1_000;
/** The address parser wants an origin; only what comes after it is used. */
const ANYWHERE = 'http://console.invalid';

/**
 * The page of the console that a text names, as browsers read it; null: it is none, such as an
 * address elsewhere. A browser that is sent there stays on the host it asked.
 */
export function readReturnPage(text: string): string | null {
  if (text.length > LENGTH_MAX || !text.startsWith(FIRST_PAGE)) return null;
  if (!URL.canParse(text, ANYWHERE)) return null;
  const { hash, origin, pathname, search } = new URL(text, ANYWHERE);
  if (origin !== ANYWHERE || !pathname.startsWith(FIRST_PAGE)) return null;
  const page = `${pathname}${search}${hash}`;
  // Escapes may have made it longer.
  return page.length > LENGTH_MAX ? null : page;
}
