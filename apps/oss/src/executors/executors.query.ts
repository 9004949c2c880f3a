import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';

/** The query of `GET /v1/executors`; the place of an executor is its module and its instance. */
export const EXECUTORS_QUERY = new RequestQuery({
  limit: wholePageLimit('executors'),
  cursor: placeCursor(),
});
