import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import type { ProblemCode } from '#http-server';
import { ApiDocument } from '../../../../test/fuzz/openapi.js';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import type { Query } from '../requests/request-query.js';
import type { Route } from '../requests/route.js';
import { Gateway } from '../gateway-spec.js';
import { openApiDocument } from './openapi.js';
import { ROUTES, TABLES } from './routes.js';
import { anyCharacter } from '../../../../test/fuzz/hostile-values.js';

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The one example, by the name that it has in the document. */
interface Examples {
  readonly example: { readonly $ref: string };
}

type Content = Readonly<Record<string, { readonly schema: object; readonly examples?: Examples }>>;

interface Whole {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly security: readonly object[];
  readonly components: {
    readonly securitySchemes?: object;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

const whole = openApiDocument() as Whole;
const document = ApiDocument.shared(JSON.stringify(whole));
const described = operationsOf(whole);

function operationsOf({ paths }: Whole): readonly Described[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** Sentences, each ending in a full stop. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=\.)\s+/);
}

/** The operations that break a rule. */
function breaking(isBroken: (operation: Described) => boolean): readonly string[] {
  return described.filter(isBroken).map(({ operationId }) => operationId);
}

describe('each operation', () => {
  it('is described in two sentences of its own', () => {
    const isShort = ({ description }: Described): boolean => sentencesOf(description).length < 2;
    expect(breaking(isShort)).toEqual([]);
    const all = described.flatMap(({ description, summary }) => [
      `${summary}.`,
      ...sentencesOf(description),
    ]);
    expect(all.filter((sentence, at) => all.indexOf(sentence) !== at)).toEqual([]);
  });

  it('acts once for an idempotency key, refuses it, or acts once by itself', () => {
    const once =
      /^(plan|validate|pause|resume|cancel|approve|reject|renew|complete|fail|again|later|release)/;
    const byThemselves = ['signIn', 'importTasks', 'takeBackup', 'repeatWork', 'awaitWork'];
    const dropping = Object.entries<Route>(ROUTES).flatMap(([name, route]) => {
      const isHeard = route.actsAgain === true || route.parameters?.includes('Idempotency-Key');
      return !route.at.startsWith('POST ') || isHeard === true || once.test(name) ? [] : [name];
    });
    expect(dropping.toSorted()).toEqual(byThemselves.toSorted());
  });

  it('has a group that is described', () => {
    const used = new Set(TABLES.map(([tag]) => tag));
    expect(whole.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('names each part of its path, with the form that it has', () => {
    const broken = document.operations.flatMap(({ operationId, parameters, path }) => {
      const parts = parameters.filter((parameter) => parameter.in === 'path');
      const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
      const isNamed = parts.map(({ name }) => name).join() === named.join();
      const isBound = parts.every(({ schema }) => 'pattern' in schema || 'maximum' in schema);
      return isNamed && isBound ? [] : [operationId];
    });
    expect(broken).toEqual([]);
  });

  it('has no parameter that stands for many names', () => {
    const names = document.operations.flatMap(({ parameters }) =>
      parameters.map(({ name }) => name),
    );
    expect(names.filter((name) => !/^[A-Za-z-]+$/.test(name))).toEqual([]);
    const lists = document.operations.filter(({ parameters }) => {
      return parameters.some(({ name }) => name === 'label');
    });
    expect(lists.map(({ operationId }) => operationId)).toEqual([
      'listTasks',
      'listChanges',
      'countTasks',
      'exportTasks',
    ]);
  });
});

describe('each answer', () => {
  const answers = document.operations.flatMap(({ operationId, responses }) => {
    return Object.entries(responses).map(([status, answer]) => ({
      operationId,
      status,
      ...answer,
    }));
  });

  it('may be a refusal that is not listed, and a fault of the server', () => {
    const bare = document.operations.filter(({ responses }) => {
      return !('default' in responses && '500' in responses && '429' in responses);
    });
    expect(bare).toEqual([]);
  });

  it.each([
    [/^/, 'X-Request-Id'],
    [/^401$/, 'WWW-Authenticate'],
    [/^(429|503)$/, 'Retry-After'],
    [/^30[24]$/, /^(Location|ETag)$/],
  ])('with a status like %s names its headers: %s', (status, name) => {
    const those = answers.filter((answer) => status.test(answer.status) && !isReadiness(answer));
    expect(those).not.toEqual([]);
    const bare = those.filter(({ headers = {} }) => {
      return !Object.keys(headers).some((one) => new RegExp(name).test(one));
    });
    expect(bare.map(({ operationId, status: of }) => `${operationId} ${of}`)).toEqual([]);
  });

  /** Its 503 is an answer like its 200: the process is asked again when it is asked again. */
  function isReadiness({ operationId, status }: (typeof answers)[number]): boolean {
    return operationId === 'ready' && status === '503';
  }

  it('says nothing twice', () => {
    const twice = answers.filter(({ description }) => {
      const sentences = sentencesOf(description);
      return new Set(sentences).size < sentences.length;
    });
    expect(twice).toEqual([]);
  });
});

describe('each body in JSON', () => {
  const bodies = described.flatMap(({ operationId, requestBody, responses }) => {
    const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    return [['request', requestBody] as const, ...good].flatMap(([name, { content = {} } = {}]) => {
      // The text of a flow is one with comments: its schema says no more than that.
      return Object.entries(content)
        .filter(([type, { schema }]) => type.includes('json') && !('type' in schema))
        .map(([, body]) => ({ name: `${operationId} ${name}`, ...body }));
    });
  });

  it('has an example that fits its schema', () => {
    expect(bodies.length).toBeGreaterThan(100);
    const wrong = bodies.flatMap(({ examples, name, schema }) => {
      const of = examples?.example.$ref.split('/').at(-1) ?? '';
      const { value } = whole.components.examples[of] ?? {};
      const faults = document.misfits(schema, value);
      return faults.length === 0 ? [] : [[name, faults]];
    });
    expect(wrong).toEqual([]);
  });

  it('has one of all the examples', () => {
    const used = new Set(
      bodies.map(({ examples }) => examples?.example.$ref.split('/').at(-1) ?? ''),
    );
    expect(Object.keys(whole.components.examples).sort()).toEqual([...used].sort());
  });
});

describe('a query', () => {
  /** Texts of which a grammar or a sum decides, which no JSON Schema can say. */
  const DEEPER = ['q', 'wait', 'age', 'returnTo'];
  const ajv = new Ajv2020({ strict: false });
  const queries = Object.entries(ROUTES).flatMap(([id, { query }]) => {
    return (query?.parameters ?? []).flatMap(({ name, schema }) => {
      if (DEEPER.includes(name)) return [];
      return [{ name: `${name} of ${id}`, query: query as Query<unknown>, of: name, schema }];
    });
  });

  it.each(queries)('with $name takes what its schema takes', ({ of, query, schema }) => {
    const accepts = ajv.compile(schema);
    const { items = schema, type } = schema as { readonly items?: object; readonly type: string };
    const rule = fc.property(near(items), (text) => {
      const read = type === 'integer' && /^[0-9]{1,15}$/.test(text) ? Number(text) : text;
      const value = type === 'boolean' ? text === 'true' || (text !== 'false' && text) : read;
      if (accepts(type === 'array' ? [text] : value)) expect(faultsOf(query, of, text)).toEqual([]);
    });
    fc.assert(rule, fuzzBudget(100));
  });

  /** Mistakes in the one parameter: others may be missing. */
  function faultsOf(query: Query<unknown>, name: string, text: string): readonly string[] {
    const { reader } = query.begin({ [name]: text });
    return reader.faults
      .filter(({ pointer }) => pointer === `/${name}`)
      .map(({ message }) => message);
  }

  /** Texts at random, and some that fit. */
  function near(schema: object): fc.Arbitrary<string> {
    const {
      enum: words = [],
      maximum = 9,
      pattern,
    } = schema as {
      readonly enum?: readonly string[];
      readonly maximum?: number;
      readonly pattern?: string;
    };
    const fitting = pattern === undefined ? [] : [fc.stringMatching(new RegExp(pattern, 'u'))];
    return fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      fc.integer({ min: 0, max: maximum + 1 }).map(String),
      fc.constantFrom('', 'true', 'false', '2026-02-30', 'a\u0000b', ...words),
      ...fitting,
    );
  }
});

describe('the ways to prove who asks', () => {
  it.each([
    ['off', []],
    ['token', ['key']],
    ['keys', ['key']],
    ['keys,oidc', ['key']],
    ['keys,oidc,mtls,proxy', ['key', 'certificate', 'proxy']],
  ])('of %s are %j', (auth, schemes) => {
    const { components, paths, security, tags } = openApiDocument(auth) as Whole;
    expect(security.flatMap((one) => Object.keys(one))).toEqual(schemes);
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(schemes);
    const all = operationsOf({ components, paths, security, tags });
    const asking = all.filter(({ responses }) => '401' in responses);
    expect(asking.length > 0).toBe(schemes.length > 0);
    const open = all.filter((operation) => operation.security?.length === 0);
    expect(open.length > 0).toBe(schemes.length > 0);
  });
});

it('each route says itself that a part of its address is too long', async () => {
  const gateway = await Gateway.open([]);
  const odd: unknown[] = [];
  for (const { at, problems = [] } of Object.values(ROUTES)) {
    const [method = '', template = ''] = at.split(' ');
    if (!template.includes('{')) continue;
    const url = template.replace(/\{\w+\}/, 'x'.repeat(12_000)).replaceAll(/\{\w+\}/g, '1');
    const answer = await gateway.ask({ method, url });
    const { code } = answer.json<{ code: ProblemCode }>();
    const isOwn = code === 'TASK_NOT_FOUND' || problems.includes(code);
    if (!isOwn) odd.push([at, answer.statusCode, code]);
  }
  await gateway.close();
  expect(odd).toEqual([]);
});
