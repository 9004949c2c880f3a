import type { TaskInterest } from '../events/task-match.js';
import { lastEventId } from './last-event-id.js';
import { expectSummaries, filterOf, FILTERS, PARENT, searchOf } from './list-tasks.query.js';
import { RequestQuery } from './request-query.js';

/** How an id of an event that does not fit is refused: it must be that. */
export const CHANGE_ID = 'the `id` of an event';

/** The query of `GET /v1/events`. */
export const EVENTS_QUERY = new RequestQuery({
  ...FILTERS,
  parent: PARENT,
  lastEventId: lastEventId(CHANGE_ID),
}).as((values, reader) => {
  const search = searchOf(values.q, reader);
  expectSummaries(search, 'Changes are told as summaries, and', reader);
  const interest: TaskInterest = { filter: filterOf(values), search };
  return { interest, lastEventId: values.lastEventId };
});
