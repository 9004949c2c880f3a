import type { FlowDefinition } from '../flow/flow.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { mapMembers } from './sealed-value.js';
import { BY_NAME, IN_PLACE, LISTS_IN_PLACE, SCHEMAS } from './secret-keywords.js';
import { isObject } from '../json/shape.js';
import { FlowProgram } from '../flow/program.js';

/** Makes something else of a secret; `pointer` says where it stands. */
type ChangeSecret = (value: JsonValue, pointer: string) => JsonValue;

/** Schemas that are looked through at most for one value: more are references in a ring. */
const IN_PLACE_MAX = 2_000;

type Inputs = Pick<FlowDefinition, 'input'> & Partial<Pick<FlowDefinition, 'steps'>>;

/** Whether any member of a flow's input is secret; with its steps, worked out once. */
export function hasSecretInput({ input, steps }: Inputs): boolean {
  if (input === null) return false;
  if (steps === undefined) return marksSecrets(input);
  const last = FlowProgram.of(steps).kept(noInput);
  if (last.input !== input) {
    last.input = input;
    last.isSecret = marksSecrets(input);
  }
  return last.isSecret;
}

/** The steps of a flow version go with one input. */
function noInput(): { input: JsonObject | null; isSecret: boolean } {
  return { input: null, isSecret: false };
}

/**
 * Parameters with something else in the place of every value that a flow's input calls secret, in
 * any of the schemas that are about it; the same object where there is none. A value whose schema
 * is secret is changed as a whole, whatever it holds.
 */
export function changeSecrets(
  definition: Inputs,
  parameters: JsonObject,
  change: ChangeSecret,
): JsonObject {
  const { input } = definition;
  if (input === null || !hasSecretInput(definition)) return parameters;
  return new SecretWalk(input, change).members([input], parameters, '');
}

/**
 * Whether a schema says `"secret": true` anywhere. Keywords that only describe a value, such as
 * `default`, are not searched.
 */
function marksSecrets(schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return false;
  if (schema['secret'] === true) return true;
  return Object.entries(schema).some(([keyword, value]) => {
    if (BY_NAME.has(keyword)) return isObject(value) && Object.values(value).some(anySecret);
    return SCHEMAS.has(keyword) && [value].flat().some(anySecret);
  });
}

function anySecret(value: unknown): boolean {
  return marksSecrets(value as JsonValue);
}

class SecretWalk {
  readonly #definitions: Readonly<Record<string, unknown>>;

  constructor(
    private readonly root: JsonObject,
    private readonly change: ChangeSecret,
  ) {
    this.#definitions = isObject(root['$defs']) ? root['$defs'] : {};
  }

  /** An object of which these schemas and all that they refer to are. */
  members(schemas: readonly JsonObject[], object: JsonObject, pointer: string): JsonObject {
    const all = this.#inPlace(schemas);
    return mapMembers(object, (value, name) => {
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return this.#value(membersOf(all, name), value, at);
    });
  }

  #value(schemas: readonly JsonObject[], value: JsonValue, pointer: string): JsonValue {
    if (schemas.length === 0) return value;
    const all = this.#inPlace(schemas);
    if (all.some((schema) => schema['secret'] === true)) return this.change(value, pointer);
    if (Array.isArray(value)) {
      const entries = value as readonly JsonValue[];
      const next = entries.map((entry, at) => {
        return this.#value(entriesOf(all, at), entry, `${pointer}/${at}`);
      });
      return next.some((entry, at) => entry !== entries[at]) ? next : value;
    }
    if (!isObject(value)) return value;
    return this.members(schemas, value, pointer);
  }

  /** The schemas with all that are about the same value, also by reference. */
  #inPlace(schemas: readonly JsonObject[]): readonly JsonObject[] {
    const found = new Set(schemas);
    for (const schema of found) {
      if (found.size > IN_PLACE_MAX) break;
      for (const part of this.#partsInPlace(schema)) if (isObject(part)) found.add(json(part));
    }
    return [...found];
  }

  #partsInPlace(schema: JsonObject): readonly unknown[] {
    const { $ref: to, dependentSchemas } = schema;
    const single = IN_PLACE.map((keyword) => schema[keyword]);
    const lists = LISTS_IN_PLACE.flatMap((keyword) => schema[keyword] ?? []);
    const dependent = isObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
    return [...single, ...lists, ...dependent, typeof to === 'string' ? this.#target(to) : null];
  }

  #target(to: string): unknown {
    return to === '#' ? this.root : this.#definitions[to.slice('#/$defs/'.length)];
  }
}

/**
 * The schemas that may apply to the member of a name. Patterns are taken to match every name: a
 * pattern that matched less here than where the request is checked would leak a secret.
 */
function membersOf(schemas: readonly JsonObject[], name: string): readonly JsonObject[] {
  return schemas.flatMap((schema) => {
    const { additionalProperties, patternProperties, properties, unevaluatedProperties } = schema;
    const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
    const isNamed = isObject(properties) && Object.hasOwn(properties, name);
    const found = isNamed ? [properties[name]] : [additionalProperties, unevaluatedProperties];
    return [...found, ...patterns].flatMap((each) => (isObject(each) ? [json(each)] : []));
  });
}

/** The schemas that may apply to the entry at a position of a list. */
function entriesOf(schemas: readonly JsonObject[], at: number): readonly JsonObject[] {
  return schemas.flatMap(({ contains, items, prefixItems, unevaluatedItems }) => {
    const first: unknown = Array.isArray(prefixItems) ? prefixItems[at] : undefined;
    const others = first === undefined ? [items, unevaluatedItems] : [first];
    return [...others, contains].flatMap((each) => (isObject(each) ? [json(each)] : []));
  });
}

function json(schema: Readonly<Record<string, unknown>>): JsonObject {
  return schema as JsonObject;
}
