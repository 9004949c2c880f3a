const text = { type: 'string' };

const entry = {
  seq: {
    type: 'integer',
    description: 'Number from 1 up, without gaps. Retention removes the first ones.',
  },
  at: { type: 'string', format: 'date-time' },
  actor: text,
  keyId: { type: ['string', 'null'] },
  operation: { ...text, description: 'Method and path, as in this document.' },
  target: { ...text, description: 'The requested address.' },
  status: {
    type: 'integer',
    description: 'Status of the answer. 400 and up: the request was refused.',
  },
  reason: { type: ['string', 'null'] },
  requestId: text,
  prev: { ...text, description: 'Hash of the previous entry, or of entry `prevSeq`.' },
  hash: { ...text, description: 'SHA-256 of everything else, with `at` in milliseconds.' },
};

const prevSeq = {
  type: 'integer',
  description:
    'Number of the entry whose hash is `prev`, if it is not the previous one; 0: none. ' +
    'The hashes of the entries between could not be read when this one was written.',
};

const anchor = {
  type: 'object',
  description: 'In an entry about the removal of old entries: the last one removed.',
  required: ['seq', 'hash'],
  properties: {
    seq: { type: 'integer' },
    hash: text,
    unsigned: {
      type: 'integer',
      description: 'Entries up to this one had been removed before, without a signature.',
    },
    kept: { type: 'integer', description: 'How long entries are kept, in milliseconds.' },
    signature: {
      ...text,
      description:
        'Ed25519 over `backstep audit anchor <seq> <hash> <unsigned> <at> <kept>`, in base64.',
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
      hash: { ...text, description: 'Its hash, if that can be read.' },
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
        description: 'Null: the gateway has no signing key, or the log has no entry.',
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
              'Null: there are no more. A request looks at 20,000 entries, so a page of a search ' +
              'may have few entries or none and still have a next one.',
          },
        },
      },
    },
  },
};
