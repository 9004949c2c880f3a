import { OPERATION_STATUSES, type OperationQuery } from '#ports';
import { CURSOR, pageLimit } from '../requests/page.query.js';
import {
  parameter,
  patternRule,
  RequestQuery,
  readAs,
  wordRule,
} from '../requests/request-query.js';

type Place = NonNullable<OperationQuery['beyond']>;

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
export function placeText({ createdAt, operationId }: Place): string {
  return `${createdAt}.${operationId}`;
}

function readPlace(text: string): Place {
  const at = text.indexOf('.');
  return { createdAt: Number(text.slice(0, at)), operationId: text.slice(at + 1) };
}
