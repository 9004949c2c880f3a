type Json = Record<string, unknown>;

/** A schema, and its place in the document. */
interface Place {
  readonly pointer: string;
  readonly schema: Json;
}

const LISTS = ['oneOf', 'anyOf', 'allOf'];
const SINGLE = ['items', 'additionalProperties', 'propertyNames'];

/** Every schema of an OpenAPI document. */
export class SchemaPlaces {
  readonly all: readonly Place[];

  constructor(private readonly document: object) {
    this.all = [...below('', document)];
  }

  /** Pairs of alternatives that a reader can take for each other. */
  doubtful(): readonly string[] {
    return this.all.flatMap(({ pointer, schema }) => {
      const list = (schema['oneOf'] ?? schema['anyOf'] ?? []) as readonly Json[];
      if (schema['discriminator'] !== undefined) return this.untold(pointer, schema);
      return list.flatMap((one, at) => {
        return list.slice(at + 1).flatMap((other, more) => {
          const isClear = this.differ(this.resolve(one), this.resolve(other));
          return isClear ? [] : [`${pointer} ${at} ${at + 1 + more}`];
        });
      });
    });
  }

  /** Alternatives that do not have the values by which they are told apart. */
  private untold(pointer: string, schema: Json): readonly string[] {
    const { mapping, propertyName } = schema['discriminator'] as {
      readonly mapping: Readonly<Record<string, string>>;
      readonly propertyName: string;
    };
    const named = (schema['oneOf'] as readonly { readonly $ref: string }[]).map(({ $ref }) => $ref);
    return named.flatMap((name) => {
      const told = Object.keys(mapping).filter((value) => mapping[value] === name);
      const { properties = {}, required = [] } = this.resolve({ $ref: name }) as {
        readonly properties?: Record<string, Json>;
        readonly required?: readonly string[];
      };
      const values = valuesOf(this.resolve(properties[propertyName] ?? {})) ?? [];
      const isTold = values.every((value) => told.includes(String(value)));
      const isSame = isTold && values.length === told.length && required.includes(propertyName);
      return isSame ? [] : [`${pointer} ${name}`];
    });
  }

  private resolve(schema: Json): Json {
    const { $ref } = schema as { readonly $ref?: string };
    if ($ref === undefined) return schema;
    let found: unknown = this.document;
    for (const part of $ref.slice(2).split('/')) found = (found as Json)[part];
    return this.resolve(found as Json);
  }

  private differ(one: Json, other: Json): boolean {
    const types = [one, other].map((schema) => [schema['type'] ?? []].flat() as string[]);
    const [first = [], second = []] = types;
    if (first.length === 0 || second.length === 0) return false;
    if (!first.some((type) => second.includes(type))) return true;
    return lacks(one, other) && lacks(other, one);
  }
}

/** Whether the first requires a member that the second does not know. */
function lacks(one: Json, other: Json): boolean {
  const known = Object.keys(other['properties'] ?? {});
  const isOpen = other['properties'] === undefined;
  return !isOpen && ((one['required'] ?? []) as string[]).some((name) => !known.includes(name));
}

function valuesOf(schema: Json): readonly unknown[] | undefined {
  return 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
}

/** The schemas below a part of the document that is none. */
function* below(pointer: string, part: unknown): Generator<Place> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    const at = `${pointer}/${name}`;
    if (name === 'example' || name === 'examples') continue;
    if (name === 'schema') yield* within(at, value as Json);
    else if (name === 'schemas') yield* each(at, value as Json);
    else yield* below(at, value);
  }
}

function* each(pointer: string, schemas: Json): Generator<Place> {
  for (const [name, value] of Object.entries(schemas)) {
    yield* within(`${pointer}/${name}`, value);
  }
}

function* within(pointer: string, schema: unknown): Generator<Place> {
  if (typeof schema !== 'object' || schema === null) return;
  yield { pointer, schema: schema as Json };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${pointer}/${keyword}`;
    if (keyword === 'properties') yield* each(at, value as Json);
    else if (SINGLE.includes(keyword)) yield* within(at, value);
    else if (LISTS.includes(keyword)) yield* each(at, value as Json);
  }
}
