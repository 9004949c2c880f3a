import { CURSOR, pageLimit, wholePageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery, wholeRule } from '../requests/request-query.js';
import { FLOW_NAME_PATTERN } from './flow-name.js';

const VERSION_MAX = 999_999_999;

/** The query of `GET /v1/flows`. */
export const FLOWS_QUERY = new RequestQuery({
  limit: wholePageLimit('flows'),
  cursor: parameter(`${CURSOR}.`, patternRule(FLOW_NAME_PATTERN.source, CURSOR)),
});

/** The query of `GET /v1/flows/{name}/versions`. */
export const VERSIONS_QUERY = new RequestQuery({
  limit: pageLimit('versions'),
  cursor: parameter(`${CURSOR}.`, wholeRule(1, VERSION_MAX, CURSOR)),
});

/** The query of `GET /v1/flows/{name}/versions/{version}:diff`. */
export const DIFF_QUERY = new RequestQuery({
  to: parameter(
    'Number of the version to compare with. Default: the newest.',
    wholeRule(1, VERSION_MAX, 'the number of a version'),
  ),
});
