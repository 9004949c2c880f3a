import { InvalidCursor } from '#ports';
import { FILTER, lineForm } from '../requests/limits.js';
import { CURSOR, wholePageLimit } from '../requests/page.query.js';
import {
  formRule,
  parameter,
  patternRule,
  RequestQuery,
  wholeRule,
  wordRule,
} from '../requests/request-query.js';
import { MARK, MARK_FORM } from './line-mark.js';
import type { LinePlace } from './output-lines.js';

const CURSOR_LENGTH_MAX = 6_000;
const ATTEMPT_MAX = 999_999_999;
const NAME = patternRule(FILTER, 'text without control characters');

/** The query of `GET /v1/tasks/{taskId}/logs`. */
export const LOGS_QUERY = new RequestQuery({
  step: parameter('Only lines of steps of this name.', NAME),
  run: parameter('Only lines of this run of a step, by its id.', NAME),
  direction: parameter(
    'Only lines of attempts that go forward, only of those that undo, or only of alerts.',
    wordRule(['normal', 'rollback', 'alert'], '`normal`, `rollback` or `alert`'),
  ),
  attempt: parameter('Only lines of attempts of this number.', wholeRule(1, ATTEMPT_MAX)),
  limit: wholePageLimit('lines'),
  cursor: parameter(
    '`page.nextCursor` of the page before, with the same filters. A stream does not take it.',
    formRule(lineForm(1, CURSOR_LENGTH_MAX), CURSOR),
  ),
  lastEventId: parameter('Of a stream: read on after this event.', patternRule(MARK_FORM, MARK)),
}).as(({ cursor, lastEventId, limit, ...filter }) => {
  return { filter, limit, after: cursor === undefined ? null : readCursor(cursor), lastEventId };
});

/** The cursor of the page after a line. */
export function cursorAfter({ id, line, since }: LinePlace): string {
  return Buffer.from(`${since} ${line} ${id}`).toString('base64url');
}

const PLACE = /^(\d{1,16}) (\d{1,15}) (\S+ .+)$/;

function readCursor(cursor: string): LinePlace {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, since, line, id] = PLACE.exec(text) ?? [];
  if (id !== undefined) {
    const place = { since: Number(since), line: Number(line), id };
    if (cursorAfter(place) === cursor) return place;
  }
  throw new InvalidCursor('The cursor is not one that a page of this list gave.');
}
