import { OPERATION_STATUSES, type RecordPlace } from '#ports';
import { CURSOR, pageLimit } from '../requests/page.query.js';
import {
  parameter,
  patternRule,
  RequestQuery,
  readAs,
  wordRule,
} from '../requests/request-query.js';

const PLACE = patternRule('^[0-9]{1,15}[.][A-Za-z0-9_-]{1,64}$', CURSOR);

/** The query of `GET /v1/operations`. */
export const OPERATIONS_QUERY = new RequestQuery({
  limit: pageLimit('operations'),
  cursor: parameter(`${CURSOR}.`, readAs(PLACE, readPlace)),
  status: parameter(
    'Only operations of this status.',
    wordRule(OPERATION_STATUSES, `one of ${OPERATION_STATUSES.join(', ')}`),
  ),
});

/** A place in the list as a cursor has it. */
export function placeText({ at = 0, id }: RecordPlace): string {
  return `${at}.${id}`;
}

function readPlace(text: string): RecordPlace {
  const dot = text.indexOf('.');
  return { at: Number(text.slice(0, dot)), id: text.slice(dot + 1) };
}
