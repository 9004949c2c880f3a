import { parameter, type QueryParameter, RequestQuery } from '../requests/request-query.js';
import { json, READS, type Routes, WRITES } from '../requests/route.js';
import { FIRST_PAGE, LENGTH_MAX, readReturnPage } from './return-page.js';

/** The query of the answer of a provider, which may add parameters of its own. */
const ANSWER_QUERY = new RequestQuery(
  {
    state: anyText('The `state` of the request to the provider.'),
    code: anyText('The code that the provider exchanges for an ID token.'),
    error: anyText('Why the provider refused the sign-in.'),
    iss: anyText('The issuer that answers.'),
  },
  true,
);

/** The query of `GET /v1/session/oidc`. */
const SIGN_IN_QUERY = new RequestQuery({
  returnTo: parameter('The page of the console to return to. Default: the first one.', {
    schema: {
      type: 'string',
      pattern: `^${FIRST_PAGE}`,
      maxLength: LENGTH_MAX,
      default: FIRST_PAGE,
    },
    expected: `a path below ${FIRST_PAGE}`,
    read: readReturnPage,
  }),
});

/** The requests by which browsers sign in and out. */
export const SESSION_ROUTES = {
  signIn: {
    at: 'POST /v1/session',
    need: { role: 'any' },
    summary: 'Keep the credential of this request in a cookie for the console',
    description:
      'No script can read the cookie. Requests with it also send the proof from the answer, ' +
      'so no other page can use it.',
    answers: { 200: json('The caller', 'SignedIn') },
    problems: WRITES,
  },
  getCaller: {
    at: 'GET /v1/session',
    need: { role: 'any' },
    summary: 'The caller of this request, with roles and limits',
    description:
      'Says by which name the caller stands in journals, and what it may do. The console ' +
      'hides by it what would be refused.',
    answers: { 200: json('The caller', 'Caller') },
    problems: READS,
  },
  signOut: {
    at: 'DELETE /v1/session',
    need: { role: 'any' },
    summary: 'Remove the cookie of the console',
    description: 'The browser forgets the cookie. A key stays good for other requests.',
    answers: { 204: { description: 'The cookie is removed' } },
    problems: WRITES,
  },
  beginSignIn: {
    at: 'GET /v1/session/oidc',
    need: { role: 'none' },
    summary: 'Send a browser to the identity provider, to sign in to the console',
    description:
      'The browser is sent to the provider with a request that only it can finish. After the ' +
      'sign-in it comes back to the page that it asked for.',
    query: SIGN_IN_QUERY,
    isPage: true,
    answers: { 302: { description: 'To the provider', headers: ['Location'] } },
    problems: ['INVALID_REQUEST', 'NOT_FOUND', 'ISSUER_UNAVAILABLE'],
  },
  finishSignIn: {
    at: 'GET /v1/session/oidc/callback',
    need: { role: 'none' },
    summary: 'Finish the sign-in: the identity provider sends the browser here',
    description:
      'The code of the provider is exchanged for an identity, whose groups give a role. The ' +
      'browser gets a cookie, and goes on to the console.',
    query: ANSWER_QUERY,
    isPage: true,
    answers: { 302: { description: 'To the console', headers: ['Location'] } },
    problems: ['INVALID_REQUEST', 'SIGN_IN_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'ISSUER_UNAVAILABLE'],
  },
} as const satisfies Routes;

function anyText(description: string): QueryParameter<string | undefined> {
  const take: QueryParameter<string | undefined>['take'] = (reader, name) => reader.text(name);
  return { description, schema: { type: 'string' }, take };
}
