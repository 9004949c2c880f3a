import { InvalidCursor } from '#ports';
import { DURATION_PATTERN, parseDuration } from '#wording';
import { FILTER, lineForm } from '../requests/limits.js';
import { CURSOR, pageLimit } from '../requests/page.query.js';
import {
  formRule,
  parameter,
  patternRule,
  RequestQuery,
  wordRule,
} from '../requests/request-query.js';

const CURSOR_LENGTH_MAX = 4_000;
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
    read: readAge,
  }),
  limit: pageLimit('attempts'),
  cursor: parameter(
    '`page.nextCursor` of the page before, with the same filters.',
    formRule(lineForm(1, CURSOR_LENGTH_MAX), CURSOR),
  ),
}).as(({ cursor, limit, ...filter }) => {
  return { filter, limit, after: cursor === undefined ? '' : readCursor(cursor) };
});

/** Which running attempts are meant. `age` is in milliseconds; absent members do not restrict. */
export type AttemptFilter = ReturnType<typeof ATTEMPTS_QUERY.read>['filter'];

function readAge(text: string): number | null {
  try {
    return parseDuration(text);
  } catch {
    return null;
  }
}

/** The cursor of the page after this place. */
export function cursorAfter(place: string): string {
  return Buffer.from(place).toString('base64url');
}

/** A moment, the id of a task, a direction and the id of a run. */
const PLACE = /^\d{16} \S+ (normal|rollback) ./;

function readCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (PLACE.test(place) && cursorAfter(place) === cursor) return place;
  throw new InvalidCursor('The cursor is not one that a page of this list gave.');
}
