import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
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

/** What the HTTP interface takes and answers, by the names of the schemas in its document. */
export interface HttpApi {`;

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
  const { components } = openApiDocument() as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const all = Object.entries(components.schemas).map(([name, schema]) => memberOf(name, schema));
  const options = JSON.parse(readFileSync(path.join(REPOSITORY, '.prettierrc'), 'utf8')) as object;
  return format(`${HEAD}\n${all.join('\n')}\n}\n`, { ...options, parser: 'typescript' });
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
