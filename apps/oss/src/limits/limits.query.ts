import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';

/** The query of `GET /v1/limits`; the place of limits is the name of their module. */
export const LIMITS_QUERY = new RequestQuery({
  limit: wholePageLimit('modules'),
  cursor: placeCursor(),
});
