import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { openApiDocument } from '../../apps/oss/src/index.js';
import { REPOSITORY } from './pages.js';

/** The types of what the HTTP interface takes and answers, in the repository. */
export const API_TYPES = 'schemas/http-api.d.ts';

const HEAD = `/**
 * Generated from the OpenAPI document by npm run docs.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** The members of all types of a union; those that not every type has may be absent. */
export type Members<Union> = Pick<Union, keyof Union> & {
  readonly [Name in Exclude<NameOf<Union>, keyof Union>]?: ValueOf<Union, Name>;
};

type NameOf<Union> = Union extends unknown ? keyof Union : never;

type ValueOf<Union, Name> = Union extends unknown
  ? Name extends keyof Union
    ? Union[Name]
    : never
  : never;

/** What the HTTP interface takes and answers, by the names of the schemas in its document. */
export interface HttpApi {`;

const ROUTES_HEAD = `
/** The parts of a request to each route, and its answer in JSON, by method and path. */
export interface HttpRoutes {`;

/** A route as the document has it. */
interface Operation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'header' | 'path' | 'query';
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content & { readonly required: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}

/** Schemas by media types. */
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** A JSON Schema as the document has it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/** The file of the types as it should be. */
export async function apiTypes(): Promise<string> {
  const { components, paths } = openApiDocument() as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const all = Object.entries(components.schemas).map(([name, schema]) => memberOf(name, schema));
  const options = JSON.parse(readFileSync(path.join(REPOSITORY, '.oxfmtrc.json'), 'utf8'));
  const routes = Object.entries(paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, route]) => {
      return `/** ${route.summary} */\n'${method.toUpperCase()} ${at}': ${routeType(route)};`;
    }),
  );
  const text = `${HEAD}\n${all.join('\n')}\n}\n${ROUTES_HEAD}\n${routes.join('\n')}\n}\n`;
  return (await format('http-api.d.ts', text, options)).code;
}

/** The type of a route: its path and query, its body or the text of a flow, and its answer. */
export function routeType({ parameters = [], requestBody, responses }: Operation): string {
  const asked = (['path', 'query'] as const).flatMap((place) => {
    const own = parameters.filter((one) => one.in === place);
    if (own.length === 0) return [];
    const members = own.map(({ name, required, schema }) => {
      const [mark, none] = required ? ['', ''] : ['?', ' | undefined'];
      return `readonly '${name}'${mark}: ${writtenAs(schema)}${none};`;
    });
    const mark = own.some(({ required }) => required) ? '' : '?';
    return [`readonly ${place}${mark}: {\n${members.join('\n')}\n};`];
  });
  return `{\n${[...asked, ...bodyOf(requestBody), answerOf(responses)].join('\n')}\n}`;
}

/** A part of an address is text; a number may be given as one. */
function writtenAs({ items, type }: Schema): string {
  if (type === 'array') return `${writtenAs(items ?? {})} | readonly ${writtenAs(items ?? {})}[]`;
  return type === 'integer' ? 'number | string' : 'string';
}

function bodyOf(body: Operation['requestBody']): readonly string[] {
  const { 'application/json': json, ...texts } = body?.content ?? {};
  const isOne = json === undefined || Object.keys(texts).length === 0;
  const mark = body?.required === true && isOne ? '' : '?';
  return [
    ...(json === undefined ? [] : [`readonly body${mark}: ${typeOf(json.schema)};`]),
    ...(Object.keys(texts).length === 0 ? [] : [`readonly text${mark}: string;`]),
  ];
}

function answerOf(responses: Operation['responses']): string {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const schemas = good.flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
  return `readonly answer: ${union(schemas.map(typeOf)) || 'undefined'};`;
}

function memberOf(name: string, schema: Schema, mark = ''): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  const { description } = schema;
  const comment = description === undefined ? '' : `/** ${description.replaceAll('*/', '* ')} */\n`;
  return `${comment}readonly ${key}${mark}: ${typeOf(schema)};`;
}

/** The type of the values that fit a schema, as far as TypeScript can say it. */
export function typeOf(schema: Schema): string {
  const { $ref, const: only, enum: values, oneOf, anyOf = oneOf, type } = schema;
  if ($ref !== undefined) return `HttpApi['${$ref.split('/').at(-1)}']`;
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  if (anyOf !== undefined) return union(anyOf.map(typeOf));
  if (type === undefined) return 'Json';
  return union([type].flat().map((name) => typeOfKind(name, schema)));
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function typeOfKind(kind: string, schema: Schema): string {
  if (kind === 'integer') return 'number';
  if (kind === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (kind === 'object') return objectOf(schema);
  return kind;
}

function objectOf({ additionalProperties, properties, required = [] }: Schema): string {
  if (properties === undefined) {
    if (typeof additionalProperties !== 'object') return 'JsonObject';
    return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    return memberOf(name, schema, required.includes(name) ? '' : '?');
  });
  return `{\n${members.join('\n')}\n}`;
}
