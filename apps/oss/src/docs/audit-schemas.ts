const text = { type: 'string' };

const entry = {
  seq: { type: 'integer', description: '1 and up, without gaps.' },
  at: { type: 'string', format: 'date-time' },
  actor: text,
  keyId: { type: ['string', 'null'] },
  operation: { ...text, description: 'As this document writes it.' },
  target: { ...text, description: 'The address that was asked for.' },
  status: { type: 'integer', description: 'Of the answer; from 400 on it was refused.' },
  reason: { type: ['string', 'null'] },
  requestId: text,
  prev: { ...text, description: 'Hash of the entry before.' },
  hash: { ...text, description: 'SHA-256 of everything else, with `at` in milliseconds.' },
};

/** The schemas of the audit log, by name. */
export const AUDIT_SCHEMAS: Readonly<Record<string, object>> = {
  AuditEntry: { type: 'object', required: Object.keys(entry), properties: entry },
  AuditPage: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/AuditEntry' } },
      page: {
        type: 'object',
        required: ['nextCursor'],
        properties: {
          nextCursor: {
            type: ['string', 'null'],
            description:
              'Null: there are no more. A page of a search may have fewer entries than its limit, ' +
              'or none, and go on: one request looks at 20,000 entries.',
          },
        },
      },
    },
  },
};
