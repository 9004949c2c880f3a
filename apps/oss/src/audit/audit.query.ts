import { TIME, TIME_FORM } from '../requests/time.query.js';
import { CURSOR } from '../requests/page.query.js';
import {
  orElse,
  parameter,
  patternRule,
  RequestQuery,
  readAs,
  sizeRule,
  wholeRule,
  wordRule,
} from '../requests/request-query.js';

const TEXT = sizeRule(1, 200, 'a text of 1 to 200 characters');

/** The query of `GET /v1/audit`. */
export const AUDIT_QUERY = new RequestQuery({
  first: orElse(
    parameter('Order of the entries.', wordRule(['newest', 'oldest'], '`newest` or `oldest`')),
    'newest',
  ),
  limit: orElse(parameter('Most entries of a page.', wholeRule(1, 1_000)), 100),
  cursor: parameter(
    '`page.nextCursor` of the page before, in the same order.',
    readAs(patternRule('^[0-9]{1,15}$', CURSOR), Number),
  ),
  actor: parameter('Only entries whose actor contains this text, in any case.', TEXT),
  operation: parameter(
    'Only entries whose operation contains this text, in any case, such as `:terminate`.',
    TEXT,
  ),
  target: parameter('Only entries whose target contains this text, in any case.', TEXT),
  createdAfter: parameter(`Only entries of this time or later. ${TIME_FORM}`, TIME),
  createdBefore: parameter(`Only entries of before this time. ${TIME_FORM}`, TIME),
});
