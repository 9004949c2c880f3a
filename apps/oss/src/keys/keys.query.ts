import { CURSOR, wholePageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery } from '../requests/request-query.js';

/** The query of `GET /v1/keys`; a cursor is the time and the id of the last key of a page. */
export const KEYS_QUERY = new RequestQuery({
  limit: wholePageLimit('keys'),
  cursor: parameter(`${CURSOR}.`, patternRule('^[0-9]{1,15}-[0-9a-f]{16}$', CURSOR)),
});
