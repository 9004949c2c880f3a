import { OPERATION_NEEDS } from '#access';
import { type ProblemCode, PROBLEMS, PROBLEM_TYPE } from '#http-server';
import { OPERATIONS } from './openapi-operations.js';
import type { DescribedParameter } from '../requests/request-query.js';
import type { Answer, Body, Operation } from './operation.js';
import { ANSWER_HEADERS, PARAMETERS } from './openapi-parameters.js';
import { SCHEMAS } from './openapi-schemas.js';
import { ref } from './schema-parts.js';

/** The interface as OpenAPI 3.1. */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const [method = '', path = ''] = operation.route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Backstep',
      version: 'v1',
      description: 'Tasks of several steps. If a step fails, everything that ran is undone.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    paths,
    security: [{ key: [] }, { certificate: [] }, { proxy: [] }],
    components: { schemas: SCHEMAS, securitySchemes: SCHEMES },
  };
}

/** One of them is asked for unless `BACKSTEP_AUTH` is `off`. */
const SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key: `bsk_...`.' },
  certificate: {
    type: 'mutualTLS',
    description: 'A client certificate, if `BACKSTEP_AUTH` has `mtls`.',
  },
  proxy: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Backstep-Proxy',
    description:
      'The secret of a proxy that names the person in `X-Backstep-Actor`, and their groups in ' +
      '`X-Backstep-Groups`, if `BACKSTEP_AUTH` has `proxy`.',
  },
};

/** Problem codes of any request, before it is known what it asks for. */
const ANYWHERE = [
  'FOREIGN_ORIGIN',
  'EXPECTATION_FAILED',
  'WRONG_HOST',
  'TOO_MANY_REQUESTS',
  'HEADERS_TOO_LARGE',
] as const;

/** Further problem codes of any request, where keys are asked for. */
const WITH_KEY = ['UNAUTHENTICATED', 'FORBIDDEN', 'ISSUER_UNAVAILABLE'] as const;

function describe(operation: Operation): object {
  const { answers, body, id, problems = [], summary, tag } = operation;
  const parameters = parametersOf(operation);
  const isOpen = OPERATION_NEEDS[operation.route]?.role === 'none';
  const refusals = isOpen ? ANYWHERE : [...ANYWHERE, ...WITH_KEY];
  const good = Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]);
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: describeBody(body),
    }),
    ...(isOpen ? { security: [] } : {}),
    responses: { ...describeProblems([...problems, ...refusals]), ...Object.fromEntries(good) },
  };
}

function parametersOf({ parameters = [], query }: Operation): readonly DescribedParameter[] {
  const named = parameters.map((name) => PARAMETERS[name] as DescribedParameter);
  return [...named, ...(query?.parameters ?? [])];
}

function describeBody({ description, required = true, schema }: Body): object {
  const content = { 'application/json': { schema } };
  return { ...(description !== undefined && { description }), required, content };
}

function describeAnswer({ content = {}, description, headers = [] }: Answer): object {
  const types = Object.entries(content).map(([type, schema]) => [type, { schema }]);
  const names = ['X-Request-Id', ...headers];
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, headerOf(name)])),
    ...(types.length > 0 && { content: Object.fromEntries(types) }),
  };
}

function headerOf(name: string): object {
  return { ...ANSWER_HEADERS[name], schema: { type: 'string' } };
}

/** One answer per status, with the codes that it may carry. */
function describeProblems(codes: readonly ProblemCode[]): Readonly<Record<string, object>> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const those = codes.filter((code) => PROBLEMS[code].status === status);
      const description = those.map((code) => `${code}: ${PROBLEMS[code].title}.`).join(' ');
      return [status, { description, content: { [PROBLEM_TYPE]: { schema: ref('Problem') } } }];
    }),
  );
}
