import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';

/** The query of `GET /v1/locks`; the place of a lock is its name. */
export const LOCKS_QUERY = new RequestQuery({
  limit: wholePageLimit('locks'),
  cursor: placeCursor(),
});
