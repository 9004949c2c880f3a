import { KEYS_QUERY } from './keys.query.js';
import { ANSWER_QUERY, SIGN_IN_QUERY } from '../session/sign-in.query.js';
import { body, json, type Operation, READS, WRITES } from '../requests/route.js';

/** The requests about API keys and sessions. */
export const KEY_OPERATIONS: readonly Operation[] = [
  {
    route: 'POST /v1/keys',
    id: 'createKey',
    summary: 'Make an API key; only this answer has the key itself',
    description:
      'The key has one role, and may be limited to flows, labels and modules. Only its hash ' +
      'is stored, so keep the answer safe.',
    tag: 'access',
    body: body('CreateKey'),
    answers: { 201: json('The key', 'MadeKey') },
    problems: WRITES,
  },
  {
    route: 'GET /v1/keys',
    id: 'listKeys',
    summary: 'List API keys, without the keys themselves',
    description:
      'Shows roles, limits, and when each key was last used. The text of a key is never shown ' +
      'again.',
    tag: 'access',
    query: KEYS_QUERY,
    answers: { 200: json('One page, the oldest first', 'Keys') },
    problems: READS,
  },
  {
    route: 'GET /v1/keys/{id}',
    id: 'getKey',
    summary: 'An API key, without the key itself',
    description:
      'Shows the role, the limits and the times of one key. Its id is the part of the key ' +
      'after `bsk_`.',
    tag: 'access',
    parameters: ['id'],
    answers: { 200: json('The key', 'Key') },
    problems: [...READS, 'KEY_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'DELETE /v1/keys/{id}',
    id: 'revokeKey',
    summary: 'Revoke an API key; its open streams end within seconds',
    description:
      'Requests with the key are refused from then on, in every process within seconds. The ' +
      'journals keep its name.',
    tag: 'access',
    parameters: ['id'],
    answers: { 204: { description: 'It is revoked' } },
    problems: [...WRITES, 'KEY_NOT_FOUND'],
  },
  {
    route: 'POST /v1/session',
    id: 'signIn',
    summary: 'Keep the credential of this request in a cookie for the console',
    description:
      'No script can read the cookie. Requests with it also send the proof from the answer, ' +
      'so no other page can use it.',
    tag: 'access',
    answers: { 200: json('The caller', 'SignedIn') },
    problems: WRITES,
  },
  {
    route: 'GET /v1/session',
    id: 'getCaller',
    summary: 'The caller of this request, with roles and limits',
    description:
      'Says by which name the caller stands in journals, and what it may do. The console ' +
      'hides by it what would be refused.',
    tag: 'access',
    answers: { 200: json('The caller', 'Caller') },
    problems: READS,
  },
  {
    route: 'DELETE /v1/session',
    id: 'signOut',
    summary: 'Remove the cookie of the console',
    description: 'The browser forgets the cookie. A key stays good for other requests.',
    tag: 'access',
    answers: { 204: { description: 'The cookie is removed' } },
    problems: WRITES,
  },
  {
    route: 'GET /v1/session/oidc',
    id: 'beginSignIn',
    summary: 'Send a browser to the identity provider, to sign in to the console',
    description:
      'The browser is sent to the provider with a request that only it can finish. After the ' +
      'sign-in it comes back to the page that it asked for.',
    tag: 'access',
    query: SIGN_IN_QUERY,
    answers: { 302: { description: 'To the provider', headers: ['Location'] } },
    problems: ['INVALID_REQUEST', 'NOT_FOUND', 'ISSUER_UNAVAILABLE'],
  },
  {
    route: 'GET /v1/session/oidc/callback',
    id: 'finishSignIn',
    summary: 'Finish the sign-in: the identity provider sends the browser here',
    description:
      'The code of the provider is exchanged for an identity, whose groups give a role. The ' +
      'browser gets a cookie, and goes on to the console.',
    tag: 'access',
    query: ANSWER_QUERY,
    answers: { 302: { description: 'To the console', headers: ['Location'] } },
    problems: ['INVALID_REQUEST', 'SIGN_IN_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'ISSUER_UNAVAILABLE'],
  },
];
