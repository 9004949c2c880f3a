import { PAGE_DEFAULT, PAGE_MAX, WHOLE_PAGE_MAX } from './limits.js';
import { orElse, parameter, type QueryParameter, wholeRule } from './request-query.js';

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
