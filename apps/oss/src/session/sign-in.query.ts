import { parameter, RequestQuery, type QueryParameter } from '../requests/request-query.js';
import { FIRST_PAGE, LENGTH_MAX, readReturnPage } from './return-page.js';

/** The query of `GET /v1/session/oidc`. */
export const SIGN_IN_QUERY = new RequestQuery({
  returnTo: parameter('The page of the console to come back to. Default: the first one.', {
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
    state: anyText('As the request to the provider had it.'),
    code: anyText('What becomes an ID token at the provider.'),
    error: anyText('Why the provider signs nobody in.'),
    iss: anyText('Who says so.'),
  },
  true,
);

function anyText(description: string): QueryParameter<string | undefined> {
  const take: QueryParameter<string | undefined>['take'] = (reader, name) => reader.text(name);
  return { description, schema: { type: 'string' }, take };
}
