import { ROLES } from '#ports';
import { createKeyReader } from '../keys/create-key.request.js';
import { putBackReader } from '../requests/put-back.request.js';
import { AUDIT_SCHEMAS } from './audit-schemas.js';
import { OPERATION_SCHEMAS } from './operation-schemas.js';
import { OUTLOOK_SCHEMAS } from './outlook-schemas.js';
import { PAGE, ref } from './schema-parts.js';
import { WORK_SCHEMAS } from './work-schemas.js';

const textOrNull = { type: ['string', 'null'] };

const report = {
  index: { type: 'integer', description: 'Index of the line in the request.' },
  result: {
    enum: ['imported', 'present', 'refused'],
    description: 'present: a task with this id exists, and is unchanged.',
  },
  taskId: { ...textOrNull, description: 'Null: the line is no task.' },
  message: { ...textOrNull, description: 'Why it was refused.' },
};

/** The schemas of archives, by name. */
const ARCHIVE_SCHEMAS: Readonly<Record<string, object>> = {
  PutBack: putBackReader.schema,
  PutBackReports: {
    type: 'object',
    required: ['results'],
    properties: {
      results: {
        type: 'array',
        items: { type: 'object', required: Object.keys(report), properties: report },
      },
    },
  },
  ArchivePage: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: { type: 'array', items: { type: 'string', description: 'JSON in one line.' } },
      page: PAGE,
    },
  },
};

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const timeOrNull = { ...time, type: ['string', 'null'] };
const patterns = { type: ['array', 'null'], items: text, description: 'Null: all.' };

const key = {
  id: text,
  name: text,
  role: ref('Role'),
  flows: patterns,
  labels: { type: ['object', 'null'], additionalProperties: text },
  modules: patterns,
  createdAt: time,
  madeBy: {
    type: ['string', 'null'],
    description: 'The actor who made it; null: it was written into the store.',
  },
  expiresAt: timeOrNull,
  usedAt: timeOrNull,
};

const caller = {
  name: { ...text, description: 'Name of the caller, as journals show it.' },
  role: ref('Role'),
  may: { type: 'array', items: ref('Role'), description: 'Roles whose rights the caller has.' },
  seesEverything: {
    type: 'boolean',
    description: 'The caller has no limits to flows, labels or modules.',
  },
  flows: patterns,
  labels: { type: ['object', 'null'], additionalProperties: text },
  modules: patterns,
  everybody: { type: 'boolean', description: 'The gateway asks for no credential.' },
};

const signedIn = {
  ...caller,
  proof: {
    type: ['string', 'null'],
    description:
      'For `X-Backstep-Console` of further requests with the cookie; null: any text will do.',
  },
};

/** The schemas of API keys and callers, by name. */
const KEY_SCHEMAS: Readonly<Record<string, object>> = {
  Caller: { type: 'object', required: Object.keys(caller), properties: caller },
  Role: { enum: ROLES },
  CreateKey: createKeyReader.schema,
  SignedIn: { type: 'object', required: Object.keys(signedIn), properties: signedIn },
  Key: { type: 'object', required: Object.keys(key), properties: key },
  MadeKey: {
    type: 'object',
    required: ['key', ...Object.keys(key)],
    properties: { ...key, key: { ...text, description: 'Shown only once.' } },
  },
  Keys: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/Key' } },
      page: PAGE,
    },
  },
};

/** The schemas of what is neither a task nor a flow, by name. */
export const RESOURCE_SCHEMAS: Readonly<Record<string, object>> = {
  ...KEY_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...ARCHIVE_SCHEMAS,
  ...OUTLOOK_SCHEMAS,
  ...OPERATION_SCHEMAS,
  ...WORK_SCHEMAS,
};
