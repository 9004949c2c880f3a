const text = { type: 'string' };

const entry = {
  seq: { type: 'integer', description: '1 and up, without gaps behind those that were removed.' },
  at: { type: 'string', format: 'date-time' },
  actor: text,
  keyId: { type: ['string', 'null'] },
  operation: { ...text, description: 'As this document writes it.' },
  target: { ...text, description: 'The address that was asked for.' },
  status: { type: 'integer', description: 'Of the answer; from 400 on it was refused.' },
  reason: { type: ['string', 'null'] },
  requestId: text,
  prev: { ...text, description: 'Hash of the entry before, or of the one of `prevSeq`.' },
  hash: { ...text, description: 'SHA-256 of everything else, with `at` in milliseconds.' },
};

const prevSeq = {
  type: 'integer',
  description:
    'Number of the entry that `prev` is the hash of, where it is not the one before; 0: of none. ' +
    'No hash of those between could be read when this one was written.',
};

const anchor = {
  type: 'object',
  description: 'Of an entry about the removal of old entries: the last of these.',
  required: ['seq', 'hash'],
  properties: {
    seq: { type: 'integer' },
    hash: text,
    unsigned: {
      type: 'integer',
      description: 'Entries up to this one were removed before, and no signature said so.',
    },
    signature: {
      ...text,
      description: 'Ed25519 over `backstep audit anchor <seq> <hash> <unsigned> <at>`, in base64.',
    },
  },
};

/** The schemas of the audit log, by name. */
export const AUDIT_SCHEMAS: Readonly<Record<string, object>> = {
  AuditEntry: {
    type: 'object',
    required: Object.keys(entry),
    properties: { ...entry, anchor, prevSeq },
  },
  UnreadableEntry: {
    type: 'object',
    required: ['seq', 'unreadable'],
    properties: {
      seq: entry.seq,
      unreadable: { ...text, description: 'Why the stored entry cannot be read.' },
      hash: { ...text, description: 'Its hash, where that can be read.' },
    },
  },
  AuditHead: {
    type: 'object',
    required: ['seq', 'hash', 'at', 'signature'],
    properties: {
      seq: { type: 'integer', description: 'Number of the newest entry.' },
      hash: { ...text, description: 'The hash of that entry.' },
      at: { type: 'string', format: 'date-time', description: 'When it was signed.' },
      signature: {
        ...text,
        description: 'Ed25519 over `backstep audit head <seq> <hash> <at>`, in base64.',
      },
    },
  },
  AuditHeadAnswer: {
    type: 'object',
    required: ['head'],
    properties: {
      head: {
        description: 'Null: the gateway has no key for this, or the log no entry.',
        oneOf: [{ $ref: '#/components/schemas/AuditHead' }, { type: 'null' }],
      },
    },
  },
  AuditPage: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: {
        type: 'array',
        items: {
          oneOf: [
            { $ref: '#/components/schemas/AuditEntry' },
            { $ref: '#/components/schemas/UnreadableEntry' },
          ],
        },
      },
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
