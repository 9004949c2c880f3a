import { json, READS, type Routes } from '../requests/route.js';
import { AUDIT_QUERY } from './audit.query.js';

/** The requests about the audit log. */
export const AUDIT_ROUTES = {
  listAudit: {
    at: 'GET /v1/audit',
    need: { role: 'admin', about: 'all' },
    summary: 'List requests that change something, done or refused, as a chain of hashes',
    description:
      'Each entry has the hash of the one before, so a change or a gap shows. Requests that ' +
      'were refused stand here as well.',
    tag: 'access',
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
    tag: 'access',
    answers: { 200: json('The signed entry, or null', 'AuditHeadAnswer') },
    problems: READS,
  },
} as const satisfies Routes;
