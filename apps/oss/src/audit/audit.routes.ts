import { CURSOR } from '../requests/page.query.js';
import {
  orElse,
  parameter,
  patternRule,
  readAs,
  RequestQuery,
  sizeRule,
  wholeRule,
  wordRule,
} from '../requests/request-query.js';
import { json, READS, type Routes } from '../requests/route.js';
import { TIME, TIME_FORM } from '../requests/time.query.js';

const TEXT = sizeRule(1, 200, 'a text of 1 to 200 characters');

/** The query of `GET /v1/audit`. */
const AUDIT_QUERY = new RequestQuery({
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

/** The requests about the audit log. */
export const AUDIT_ROUTES = {
  listAudit: {
    at: 'GET /v1/audit',
    need: { role: 'admin', about: 'all' },
    summary: 'List requests that change something, done or refused, as a chain of hashes',
    description:
      'Each entry has the hash of the one before, so a change or a gap shows. Requests that ' +
      'were refused stand here as well.',
    query: AUDIT_QUERY,
    answers: { 200: json('One page', 'AuditPage') },
    problems: READS,
  },
  getAuditHead: {
    at: 'GET /v1/audit/head',
    need: { role: 'admin', about: 'all' },
    summary: 'The newest entry of the audit log, signed',
    description:
      'Keep the answer elsewhere, and compare it later. A log that was cut at its end does ' +
      'not reach this entry.',
    answers: { 200: json('The signed entry, or null', 'AuditHeadAnswer') },
    problems: READS,
  },
} as const satisfies Routes;
