import { DURATION_PATTERN, readDuration } from '#wording';
import { FILTER } from '../requests/limits.js';
import { pageLimit, placeCursor } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery, wordRule } from '../requests/request-query.js';

const NAME = patternRule(FILTER, 'text without control characters');

/** The query of `GET /v1/attempts`. */
export const ATTEMPTS_QUERY = new RequestQuery({
  executor: parameter('Only those that this instance runs.', NAME),
  step: parameter('Only those of steps of this name.', NAME),
  module: parameter('Only those of commands of this module.', NAME),
  flow: parameter('Only those of tasks of this flow.', NAME),
  direction: parameter(
    'Only those that go forward, or only those that undo.',
    wordRule(['normal', 'rollback'], '`normal` or `rollback`'),
  ),
  age: parameter('Only those that began so long ago, such as `10m`, or earlier.', {
    schema: { type: 'string', pattern: DURATION_PATTERN },
    expected: 'a time like 500ms, 30s or 5m',
    read: readDuration,
  }),
  limit: pageLimit('attempts'),
  cursor: placeCursor(', with the same filters'),
}).as(({ cursor, limit, ...filter }) => ({ filter, page: { cursor, limit } }));

/** Which running attempts are meant. `age` is in milliseconds; absent members do not restrict. */
export type AttemptFilter = ReturnType<typeof ATTEMPTS_QUERY.read>['filter'];
