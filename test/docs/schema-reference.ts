import { readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from './pages.js';
import { code, table } from './table.js';

/** The members of a JSON Schema that are read here. */
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly else?: Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A section of the page: a schema that others name, or an object that stands in one place. */
interface Section {
  readonly name: string;
  readonly schema: Schema;
}

/** Definitions that have members of their own come in this order, the others in a table. */
const FIRST: readonly string[] = ['flow', 'step', 'action'];

/** The schema that editors use: a spec of it says that flow files are checked with the same. */
function fileSchema(): Schema {
  const file = path.join(REPOSITORY, 'schemas', 'flow.v1.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Schema;
}

/** All objects of the flow language, each with a table of its members. */
export function flowReference(): string {
  const root = fileSchema();
  const definitions = root.$defs ?? {};
  const named = [...FIRST, ...Object.keys(definitions).filter((name) => !FIRST.includes(name))];
  const all = named.map((name) => ({ name, schema: definitions[name] ?? {} }));
  const sections = all
    .filter(({ schema }) => schema.properties !== undefined)
    .flatMap((section) => [section, ...innerSections(section)]);
  const values = all.filter(({ schema }) => schema.properties === undefined);
  const plain = table(
    ['value', 'meaning', 'example'],
    values.map(({ name, schema }) => [code(name), textOf(schema), exampleOf(schema)]),
  );
  return [`## A file\n\n${textOf(root)}`, ...sections.map(shown), `## Values\n\n${plain}`].join(
    '\n\n',
  );
}

/** The objects within a schema that no definition names, in the order of the file. */
function innerSections({ name, schema }: Section): readonly Section[] {
  return Object.entries(schema.properties ?? {}).flatMap(([member, own]) => {
    const [inner, path] = innermost(own, `${name}.${member}`);
    if (inner.properties === undefined) return [];
    const section = { name: path, schema: inner };
    return [section, ...innerSections(section)];
  });
}

/** The schema of the entries where a value is a list or an object of them. */
function innermost(schema: Schema, at: string): readonly [Schema, string] {
  if (schema.items !== undefined) return innermost(schema.items, `${at}[]`);
  const { additionalProperties: members } = schema;
  return typeof members === 'object' ? innermost(members, `${at}.*`) : [schema, at];
}

function shown({ name, schema }: Section): string {
  const rows = Object.entries(schema.properties ?? {}).map(([member, own]) => {
    const isRequired = schema.required?.includes(member) === true;
    const standard = own.default === undefined ? '' : code(JSON.stringify(own.default));
    return [
      code(member),
      valueOf(own, `${name}.${member}`),
      isRequired ? 'required' : standard,
      limitsOf(own),
      textOf(own),
    ];
  });
  const head = ['member', 'value', 'default', 'limits', 'meaning'];
  const parts = [`## ${name}`, textOf(schema), table(head, rows), rulesOf(schema)];
  return parts.filter(Boolean).join('\n\n');
}

/** Its title, and where its members are shown. */
function valueOf(schema: Schema, at: string): string {
  const { title = '' } = resolved(schema);
  const [inner, name] = innermost(schema, at);
  const target = inner.properties === undefined ? inner.$ref?.split('/').at(-1) : name;
  if (target === undefined) return title;
  const isValue = inner.$ref !== undefined && resolved(inner).properties === undefined;
  return `[${title}](#${isValue ? 'values' : anchorOf(target)})`;
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9 -]/g, '');
}

/** The members of a definition, below those that stand in its place. */
function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...fileSchema().$defs?.[name], ...schema };
}

function textOf({ description = '' }: Schema): string {
  return description.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function exampleOf({ examples = [] }: Schema): string {
  return examples.map((example) => code(JSON.stringify(example))).join(', ');
}

function limitsOf(schema: Schema): string {
  const bounds = [
    [schema.minimum, schema.maximum, ''],
    [schema.minLength, schema.maxLength, ' characters'],
    [schema.minItems, schema.maxItems, ' entries'],
    [schema.minProperties, schema.maxProperties, ' members'],
  ] as const;
  return bounds.flatMap(([least, most, what]) => boundsOf(least, most, what)).join(', ');
}

function boundsOf(least: number | undefined, most: number | undefined, what: string): string[] {
  // The largest whole number says no more than that the number is whole.
  const isOpen = most === undefined || most === Number.MAX_SAFE_INTEGER;
  if (isOpen) return least === undefined ? [] : [`at least ${counted(least)}${what}`];
  const from = least === undefined ? 'at most' : `${counted(least)} to`;
  return [`${from} ${counted(most)}${what}`];
}

function counted(count: number): string {
  return count.toLocaleString('en');
}

/** Which members exclude each other, and which need others. */
function rulesOf(schema: Schema): string {
  const { dependentRequired = {}, dependentSchemas = {} } = schema;
  const choice = schema.oneOf ?? schema.else?.oneOf ?? [];
  const one = choice.flatMap(({ required = [] }) => required).map(code);
  const needed = [
    ...Object.entries(dependentRequired),
    ...Object.entries(dependentSchemas).map(([member, { anyOf = [] }]) => {
      return [member, anyOf.flatMap(({ required = [] }) => required)] as const;
    }),
  ];
  const rules = [
    ...(one.length === 0 ? [] : [`- It has exactly one of ${listed(one, 'and')}.`]),
    ...needed.map(([member, others]) => {
      return `- ${code(member)} goes with ${listed(others.map(code), 'or')}.`;
    }),
  ];
  return rules.join('\n');
}

function listed(words: readonly string[], last: string): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
