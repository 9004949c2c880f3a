import { ROLES } from '#ports';
import { createKeyReader } from '../keys/create-key.request.js';
import { PAGE, ref } from './schema-parts.js';

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
  may: {
    type: 'array',
    items: ref('Role'),
    description: 'Roles whose rights the caller has.',
  },
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
export const KEY_SCHEMAS: Readonly<Record<string, object>> = {
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
