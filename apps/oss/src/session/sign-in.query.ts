import { parameter, RequestQuery, type QueryParameter } from '../requests/request-query.js';
import { FIRST_PAGE, LENGTH_MAX, readReturnPage } from './return-page.js';

/** The query of `GET /v1/session/oidc`. */
export const SIGN_IN_QUERY = new RequestQuery({
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

/** The query of the answer of a provider, which may add parameters of its own. */
export const ANSWER_QUERY = new RequestQuery(
  {
    state: anyText('The `state` of the request to the provider.'),
    code: anyText('The code that the provider exchanges for an ID token.'),
    error: anyText('Why the provider refused the sign-in.'),
    iss: anyText('The issuer that answers.'),
  },
  true,
);

function anyText(description: string): QueryParameter<string | undefined> {
  const take: QueryParameter<string | undefined>['take'] = (reader, name) => reader.text(name);
  return { description, schema: { type: 'string' }, take };
}
