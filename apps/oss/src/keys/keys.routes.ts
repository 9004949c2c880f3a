import { CURSOR, wholePageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery } from '../requests/request-query.js';
import { body, json, READS, type Routes, WRITES } from '../requests/route.js';
import { createKeyReader } from './create-key.request.js';

/** The query of `GET /v1/keys`; a cursor is the time and the id of the last key of a page. */
const KEYS_QUERY = new RequestQuery({
  limit: wholePageLimit('keys'),
  cursor: parameter(`${CURSOR}.`, patternRule('^[0-9]{1,15}-[0-9a-f]{16}$', CURSOR)),
});

/** The requests about API keys. */
export const KEY_ROUTES = {
  createKey: {
    at: 'POST /v1/keys',
    need: { role: 'admin', about: 'all' },
    summary: 'Make an API key; only this answer has the key itself',
    description:
      'The key has one role, and may be limited to flows, labels and modules. Only its hash ' +
      'is stored, so keep the answer safe.',
    actsAgain: true,
    body: body('CreateKey', createKeyReader),
    answers: { 201: json('The key', 'MadeKey') },
    problems: WRITES,
  },
  listKeys: {
    at: 'GET /v1/keys',
    need: { role: 'admin', about: 'all' },
    summary: 'List API keys, without the keys themselves',
    description:
      'Shows roles, limits, and when each key was last used. The text of a key is never shown ' +
      'again.',
    query: KEYS_QUERY,
    answers: { 200: json('One page, the oldest first', 'Keys') },
    problems: READS,
  },
  getKey: {
    at: 'GET /v1/keys/{id}',
    need: { role: 'admin', about: 'all' },
    summary: 'An API key, without the key itself',
    description:
      'Shows the role, the limits and the times of one key. Its id is the part of the key ' +
      'after `bsk_`.',
    parameters: ['id'],
    answers: { 200: json('The key', 'Key') },
    problems: [...READS, 'KEY_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  revokeKey: {
    at: 'DELETE /v1/keys/{id}',
    need: { role: 'admin', about: 'all' },
    summary: 'Revoke an API key; its open streams end within seconds',
    description:
      'Requests with the key are refused from then on, in every process within seconds. The ' +
      'journals keep its name.',
    parameters: ['id'],
    answers: { 204: { description: 'It is revoked' } },
    problems: [...WRITES, 'KEY_NOT_FOUND'],
  },
} as const satisfies Routes;
