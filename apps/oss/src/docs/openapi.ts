import { type ProblemCode, PROBLEM_TYPE, PROBLEMS } from '#http-server';
import type { DescribedParameter } from '../requests/request-query.js';
import { type Answer, type Body, JSON_TYPE, type Route } from '../requests/route.js';
import { FLOW_EXAMPLES } from './examples/flow-examples.js';
import { RESOURCE_EXAMPLES } from './examples/resource-examples.js';
import { TASK_EXAMPLES } from './examples/task-examples.js';
import { WORK_EXAMPLES } from './examples/work-examples.js';
import { HEADERS, PARAMETERS } from './openapi-parameters.js';
import { SCHEMAS } from './openapi-schemas.js';
import { portableSchema, portableSchemas } from './portable-schema.js';
import { type Table, TABLES, TAGS } from './routes.js';
import { ref } from './schema-parts.js';

/** Ways to prove who asks, and the security scheme of each. */
const SCHEME_OF: Readonly<Record<string, keyof typeof SCHEMES>> = {
  token: 'key',
  keys: 'key',
  oidc: 'key',
  mtls: 'certificate',
  proxy: 'proxy',
};

/** An example of each body and answer in JSON, by the name of its schema. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...TASK_EXAMPLES,
  ...FLOW_EXAMPLES,
  ...RESOURCE_EXAMPLES,
  ...WORK_EXAMPLES,
};

/**
 * The interface as OpenAPI 3.1, as a gateway with this `BACKSTEP_AUTH` answers. Default: with every
 * way to prove who asks, and every route.
 */
export function openApiDocument(
  auth = Object.keys(SCHEME_OF).join(),
  tables: readonly Table[] = TABLES,
): object {
  const schemes = new Set(auth.split(',').flatMap((way) => SCHEME_OF[way] ?? []));
  const paths: Record<string, Record<string, object>> = {};
  for (const [tag, routes] of tables) {
    for (const [id, route] of Object.entries(routes)) {
      const [method = '', path = ''] = route.at.split(' ');
      const described = { operationId: id, tags: [tag], ...describe(route, schemes.size > 0) };
      paths[path] = { ...paths[path], [method.toLowerCase()]: described };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Backstep',
      version: 'v1',
      description: ABOUT,
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    security: [...schemes].map((name) => ({ [name]: [] })),
    components: {
      schemas: portableSchemas(SCHEMAS),
      headers: HEADERS,
      responses: refusalsIn(paths),
      examples: Object.fromEntries(
        Object.entries(EXAMPLES).map(([name, value]) => [name, { value }]),
      ),
      ...(schemes.size > 0 && {
        securitySchemes: Object.fromEntries([...schemes].map((name) => [name, SCHEMES[name]])),
      }),
    },
  };
}

const ABOUT =
  'Tasks of several steps. If a step fails, everything that ran is undone.\n\n' +
  'Operations that act again when they are repeated take an `Idempotency-Key`, or refuse it.\n\n' +
  'Pages of modules, such as `/modules/resource/hosts`, are not described here: each executor has ' +
  'its own, on its own listener unless it runs in this process.';

/** The ways to prove who asks. */
const SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, `bsk_...`, or a token of the issuer.',
  },
  certificate: { type: 'mutualTLS', description: 'A client certificate.' },
  proxy: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Backstep-Proxy',
    description:
      'The secret of a proxy that names the person in `X-Backstep-Actor`, and their groups in ' +
      '`X-Backstep-Groups`.',
  },
} as const;

const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/** Statuses of refusals that come before it is known what a request asks for. */
const EARLY_STATUSES: readonly number[] = [417, 421, 431, 500];

/** Problem codes of any request. */
const ANYWHERE: readonly ProblemCode[] = [
  'FOREIGN_ORIGIN',
  'TOO_MANY_REQUESTS',
  'OVERLOADED',
  'PROCESS_UNAVAILABLE',
  ...PROBLEM_CODES.filter((code) => EARLY_STATUSES.includes(PROBLEMS[code].status)),
];

/** Further problem codes of any request, where it must prove who asks. */
const WITH_KEY = ['INVALID_REQUEST', 'UNAUTHENTICATED', 'FORBIDDEN', 'ISSUER_UNAVAILABLE'] as const;

function describe(route: Route, isGuarded: boolean): object {
  const { answers, body, description, need, problems = [], summary } = route;
  const parameters = parametersOf(route);
  const isOpen = need.role === 'none';
  const refusals = isOpen || !isGuarded ? ANYWHERE : [...ANYWHERE, ...WITH_KEY];
  const good = Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]);
  return {
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: describeBody(body) }),
    ...(isOpen && isGuarded ? { security: [] } : {}),
    responses: { ...describeProblems([...problems, ...refusals]), ...Object.fromEntries(good) },
  };
}

function parametersOf({ parameters = [], query }: Route): readonly DescribedParameter[] {
  const named = parameters.map((name) => PARAMETERS[name] as DescribedParameter);
  return [...named, ...(query?.parameters ?? [])];
}

function describeBody({
  description,
  required = true,
  schema,
  types = [JSON_TYPE],
}: Body<unknown>): object {
  const content = Object.fromEntries(types.map((type) => [type, contentOf(schema)]));
  return { ...(description !== undefined && { description }), required, content };
}

function describeAnswer({ content = {}, description, headers = [] }: Answer): object {
  const types = Object.entries(content).map(([type, schema]) => [type, contentOf(schema)]);
  return {
    description,
    headers: headersOf(headers),
    ...(types.length > 0 && { content: Object.fromEntries(types) }),
  };
}

/** A schema, and the example of the schema that it names. */
function contentOf(schema: object): object {
  const { $ref = '' } = schema as { readonly $ref?: string };
  const name = $ref.split('/').at(-1) ?? '';
  const examples = { example: { $ref: `#/components/examples/${name}` } };
  return { schema: portableSchema(schema), ...(name in EXAMPLES && { examples }) };
}

function headersOf(names: readonly string[]): object {
  const all = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of refusals by their status, besides those of every answer. */
const REFUSAL_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The name of the answer to any other refusal. */
const OTHERWISE = 'Refusal';

/** One answer per status, with the codes that it may carry, and one for any other status. */
function describeProblems(codes: readonly ProblemCode[]): Readonly<Record<string, object>> {
  const all = [...new Set(codes)];
  const statuses = [...new Set(all.map((code) => PROBLEMS[code].status))];
  const answers = statuses.map((status) => {
    const [first, ...more] = all.filter((code) => PROBLEMS[code].status === status);
    if (first === undefined) return [status, refRefusal(OTHERWISE)];
    return [status, more.length === 0 ? refRefusal(first) : refusal(first, ...more)];
  });
  return { ...Object.fromEntries(answers), default: refRefusal(OTHERWISE) };
}

function refRefusal(name: string): object {
  return { $ref: `#/components/responses/${name}` };
}

/** The answers that operations refer to: each has one code, or any. */
function refusalsIn(paths: object): Readonly<Record<string, object>> {
  const named = JSON.stringify(paths).matchAll(/#\/components\/responses\/(\w+)/g);
  const names = new Set(Array.from(named, ([, name]) => name));
  const codes = PROBLEM_CODES.filter((code) => names.has(code));
  const byCode = codes.map((code) => [code, refusal(code)]);
  return { ...Object.fromEntries(byCode), [OTHERWISE]: refusal() };
}

function refusal(...codes: readonly ProblemCode[]): object {
  const sentences = codes.map((code) => `${code}: ${PROBLEMS[code].title}.`);
  const status = codes[0] === undefined ? 0 : PROBLEMS[codes[0]].status;
  return {
    description: sentences.length === 0 ? 'Any other refusal.' : sentences.join(' '),
    headers: headersOf(REFUSAL_HEADERS[status] ?? []),
    content: { [PROBLEM_TYPE]: { schema: ref('Problem') } },
  };
}
