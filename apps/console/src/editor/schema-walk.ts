import flowFile from '../../../../schemas/flow.v1.json' with { type: 'json' };

/** The part of a JSON Schema that tells what may be written. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

type Defs = Readonly<Record<string, Schema>>;

const DEFS = flowFile.$defs as unknown as Defs;

/** The schema of a flow without its name, which the package exports for editors. */
const FLOW_SCHEMA: Schema = DEFS['flow'] ?? {};

/** The schema of what stands at a path; null: anything may. */
export function schemaAt(path: readonly (string | number)[]): Schema | null {
  let schema: Schema | null = FLOW_SCHEMA;
  for (const part of path) {
    if (schema === null) return null;
    schema = resolved(typeof part === 'number' ? schema.items : memberOf(schema, part));
  }
  return schema;
}

/** A schema with what it refers to; what stands beside the reference wins. */
export function resolved(schema: Schema | undefined): Schema | null {
  if (schema === undefined) return null;
  const { $ref: reference, ...own } = schema;
  const target = reference === undefined ? undefined : DEFS[reference.replace('#/$defs/', '')];
  return target === undefined ? own : { ...resolved(target), ...own };
}

/** The types that a value may have. */
export function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

function memberOf({ additionalProperties, properties }: Schema, name: string): Schema | undefined {
  const own = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : null;
  if (own) return own;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
