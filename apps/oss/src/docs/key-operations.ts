import { body, json, type Operation, READS, WRITES } from './operation.js';

/** The requests about API keys and sessions. */
export const KEY_OPERATIONS: readonly Operation[] = [
  {
    route: 'POST /v1/keys',
    id: 'createKey',
    summary: 'Make an API key; no other answer ever has the key itself',
    tag: 'access',
    body: body('CreateKey'),
    answers: { 201: json('The key', 'MadeKey') },
    problems: WRITES,
  },
  {
    route: 'GET /v1/keys',
    id: 'listKeys',
    summary: 'All API keys, without the keys themselves',
    tag: 'access',
    answers: { 200: json('The oldest first', 'Keys') },
    problems: READS,
  },
  {
    route: 'GET /v1/keys/{id}',
    id: 'getKey',
    summary: 'An API key, without the key itself',
    tag: 'access',
    parameters: ['id'],
    answers: { 200: json('The key', 'Key') },
    problems: [...READS, 'KEY_NOT_FOUND'],
  },
  {
    route: 'DELETE /v1/keys/{id}',
    id: 'revokeKey',
    summary: 'Revoke an API key; open streams of it end within seconds',
    tag: 'access',
    parameters: ['id'],
    answers: { 204: { description: 'It is revoked' } },
    problems: [...WRITES, 'KEY_NOT_FOUND'],
  },
  {
    route: 'POST /v1/session',
    id: 'signIn',
    summary: 'Keep the credential of this request in a cookie for the console',
    tag: 'access',
    answers: { 200: json('Who that is', 'Caller') },
    problems: WRITES,
  },
  {
    route: 'GET /v1/session',
    id: 'getCaller',
    summary: 'Who the caller is, and what limits there are',
    tag: 'access',
    answers: { 200: json('Who that is', 'Caller') },
    problems: READS,
  },
  {
    route: 'DELETE /v1/session',
    id: 'signOut',
    summary: 'Remove the cookie of the console',
    tag: 'access',
    answers: { 204: { description: 'There is none any more' } },
    problems: WRITES,
  },
];
