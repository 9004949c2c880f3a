import type { DeliveryRecord } from '#ports';
import { FLOW_NAME_PATTERN } from '../flows/flow-name.js';
import { CURSOR, pageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery, readAs } from '../requests/request-query.js';

/** The query of `GET /v1/notifications`. */
export const NOTIFICATIONS_QUERY = new RequestQuery({
  limit: pageLimit('notifications'),
  cursor: parameter(`${CURSOR}.`, patternRule(FLOW_NAME_PATTERN.source, CURSOR)),
});

/** The place of a message in the list of those of its notification. */
type Place = Pick<DeliveryRecord, 'createdAt' | 'id'>;

const PLACE = patternRule('^[0-9]{1,15}-[A-Za-z0-9_-]{1,100}$', CURSOR);

/** The query of `GET /v1/notifications/{name}/deliveries`. */
export const DELIVERIES_QUERY = new RequestQuery({
  limit: pageLimit('messages'),
  cursor: parameter(`${CURSOR}.`, readAs(PLACE, readPlace)),
});

/** A place as a cursor has it. */
export function placeText({ createdAt, id }: Place): string {
  return `${createdAt}-${id}`;
}

function readPlace(text: string): Place {
  const at = text.indexOf('-');
  return { createdAt: Number(text.slice(0, at)), id: text.slice(at + 1) };
}
