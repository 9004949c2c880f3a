import { json, type Operation, READS } from './operation.js';

/** The requests about the audit log. */
export const AUDIT_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/audit',
    id: 'listAudit',
    summary: 'What people and programs did and were refused, as a chain of hashes',
    tag: 'access',
    parameters: [
      'first',
      'auditLimit',
      'auditCursor',
      'auditActor',
      'auditOperation',
      'auditTarget',
    ],
    answers: { 200: json('One page', 'AuditPage') },
    problems: READS,
  },
];
