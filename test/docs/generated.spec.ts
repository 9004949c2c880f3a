import { expect, it } from '@jest/globals';
import { SETTINGS, variableOf } from '#settings';
import { INVARIANTS } from '../simulation/invariants.js';
import { foundMutants } from '../simulation/mutants/found.js';
import { MUTANTS, PAIRS } from '../simulation/mutants/index.js';
import { API_TYPES, apiTypes, routeType, typeOf } from './api-types.js';
import { figurePlots } from './figure-plots.js';
import { GENERATED, renewed } from './generated.js';
import { readPage, readPages } from './pages.js';

const pages = readPages();

it.each(pages.map((page) => [page.path, page.text] as const))(
  '%s says what the code says (else: npm run docs)',
  (_, text) => {
    expect(text).toBe(renewed(text));
  },
);

it('the types of the HTTP interface say what its document says (else: npm run docs)', async () => {
  expect(readPage(API_TYPES).text).toBe(await apiTypes());
});

it.each([...figurePlots()])('%s shows the figures (else: npm run docs)', (name, plot) => {
  expect(readPage(name).text).toBe(plot);
});

it('figures of both deployments are shown', () => {
  expect([...figurePlots().keys()]).toHaveLength(2);
});

it.each<[object, string]>([
  [{}, 'Json'],
  [{ $ref: '#/components/schemas/Task' }, "HttpApi['Task']"],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ oneOf: [{ const: 'a' }, { type: 'number' }, { type: 'integer' }] }, '"a" | number'],
  [{ type: 'array', items: { enum: [1, 'b'] } }, 'readonly (1 | "b")[]'],
  [{ type: 'object' }, 'JsonObject'],
  [
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', description: 'x */' }, 'b-c': {} },
    },
    '{\n/** x *  */\nreadonly a: string;\nreadonly "b-c"?: Json;\n}',
  ],
])('the type of %j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

it('the type of a route has its path, its query, its body or text, and its answer', () => {
  const schema = { type: 'string' };
  const json = { 'application/json': { schema } };
  const type = routeType({
    summary: 'Weigh',
    parameters: [
      { name: 'scale', in: 'path', required: true, schema },
      { name: 'X-Key', in: 'header', required: false, schema },
      { name: 'times', in: 'query', required: false, schema: { type: 'integer' } },
      { name: 'label', in: 'query', required: false, schema: { type: 'array', items: schema } },
    ],
    requestBody: { required: true, content: { ...json, 'application/jsonc': { schema } } },
    responses: { 200: { content: json }, 204: {}, 404: { content: json } },
  });
  expect(type.replaceAll('\n', ' ')).toBe(
    "{ readonly path: { readonly 'scale': string; }; readonly query?: { " +
      "readonly 'times'?: number | string | undefined; " +
      "readonly 'label'?: string | readonly string[] | undefined; }; " +
      'readonly body?: string; readonly text?: string; readonly answer: string; }',
  );
  expect(routeType({ summary: 'Empty', responses: { 204: {} } })).toContain('answer: undefined');
});

it.each(Object.keys(GENERATED))('a page shows %s', (name) => {
  const showing = pages.filter(({ text }) => text.includes(`<!-- generated: ${name} -->`));
  expect(showing).toHaveLength(1);
});

it('the search for mutants was run with those that there are (else: npm run simulate -- --mutant all)', () => {
  const names = foundMutants().map(({ name }) => name);
  expect(names).toEqual([...MUTANTS, ...PAIRS].map(({ name }) => name));
});

it('each promise that histories are held to is broken by some mutant, and each mutant breaks one', () => {
  const broken = new Set(foundMutants().map(({ invariant }) => invariant));
  expect([...broken].sort()).toEqual(Object.keys(INVARIANTS).sort());
});

it('docs/configuration.md names no setting that is not there', () => {
  const { text } = readPage('docs/configuration.md');
  const names = new Set(Object.keys(SETTINGS).map((key) => variableOf(key)));
  const named = [...text.matchAll(/`(BACKSTEP_[A-Z_]+)`/g)].map(([, name]) => name ?? '');
  // Of the command line, and not the program's.
  for (const name of ['URL', 'TOKEN', 'CLIENT_CERT', 'CLIENT_KEY']) names.add(`BACKSTEP_${name}`);
  const isThere = (name: string): boolean =>
    names.has(name) || names.has(name.replace(/_FILE$/, ''));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
