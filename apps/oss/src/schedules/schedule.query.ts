import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import { CURSOR, pageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery, wholeRule } from '../requests/request-query.js';

/** The query of `GET /v1/schedules`. */
export const SCHEDULES_QUERY = new RequestQuery({
  limit: pageLimit('schedules'),
  cursor: parameter(`${CURSOR}.`, patternRule(FLOW_NAME_PATTERN.source, CURSOR)),
});

/** The query of `GET /v1/schedules/{name}`. */
export const SCHEDULE_QUERY = new RequestQuery({
  next: parameter('Number of its next moments to show.', wholeRule(1, 100)),
});
