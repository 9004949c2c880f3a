import type { getMetadataStorage } from 'class-validator';
import type { JsonValue } from '#core';

/** The metadata that class-validator keeps of one decorator of one member. */
export type Rule = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** A JSON Schema while it is made. */
export type Schema = Record<string, JsonValue>;

/** Makes the JSON Schema of one rule from its constraints; null: no schema can express the rule. */
type Meaning = (constraints: readonly unknown[]) => Schema | null;

const TEXT: Meaning = () => ({ type: 'string' });

/** Rules that all refuse a member that is not there, and whatever their schemas refuse. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  arrayMaxSize: ([most]) => ({ type: 'array', ...limits({ maxItems: most }) }),
  arrayMinSize: ([least]) => ({ type: 'array', ...limits({ minItems: least }) }),
  arrayNotEmpty: () => ({ type: 'array', minItems: 1 }),
  equals: ([value]) => oneOf([value]),
  isArray: () => ({ type: 'array' }),
  isBoolean: () => ({ type: 'boolean' }),
  isDefined: () => ({}),
  isEmail: TEXT,
  isEnum: ([entity]) => oneOf(Object.values(entity ?? {})),
  isIn: ([values]) => oneOf(values),
  isInt: () => ({ type: 'integer' }),
  isLength: ([least, most]) => ({
    type: 'string',
    ...limits({ minLength: least, maxLength: most }),
  }),
  isNegative: () => ({ type: 'number', exclusiveMaximum: 0 }),
  isNotEmpty: () => ({ minLength: 1 }),
  isNumber: () => ({ type: 'number' }),
  isObject: () => ({ type: 'object' }),
  isPositive: () => ({ type: 'number', exclusiveMinimum: 0 }),
  isString: TEXT,
  isUrl: TEXT,
  isUuid: TEXT,
  matches: TEXT,
  max: ([most]) => ({ type: 'number', ...limits({ maximum: most }) }),
  maxLength: ([most]) => ({ type: 'string', ...limits({ maxLength: most }) }),
  min: ([least]) => ({ type: 'number', ...limits({ minimum: least }) }),
  minLength: ([least]) => ({ type: 'string', ...limits({ minLength: least }) }),
};

/** The rules of a class by the members they are about, in the order in which they are declared. */
export function rulesByMember(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const members = new Map<string, Rule[]>();
  for (const rule of rules) {
    const own = members.get(rule.propertyName) ?? [];
    members.set(rule.propertyName, [...own, rule]);
  }
  return members;
}

/** The schema of one member's rules, as far as a schema can express them; no rule gets stricter. */
export function schemaOfRules(rules: readonly Rule[]): Schema {
  const whole: Schema = {};
  const items: Schema = {};
  for (const rule of rules) join(rule.each ? items : whole, meaningOf(rule) ?? {});
  return Object.keys(items).length === 0 ? whole : { ...whole, items };
}

/** Whether a rule refuses a member that is not there. */
export function isDemanding(rule: Rule): boolean {
  return !rule.each && meaningOf(rule) !== null;
}

/** Whether the member may be left out, or be null. */
export function isOptionalRule({ name, type }: Rule): boolean {
  return type === 'conditionalValidation' && name === 'isOptional';
}

/** Whether the rules of a member hold now and then. */
export function isCondition(rule: Rule): boolean {
  return rule.type === 'conditionalValidation' && !isOptionalRule(rule);
}

/** The schema of a value that may be null as well. */
export function orNull(schema: Schema): Schema {
  const { enum: values, type } = schema;
  const types = [type ?? []].flat();
  return {
    ...schema,
    ...(types.length > 0 && { type: [...new Set([...types, 'null'])] }),
    ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
  };
}

/** Rules of a group, or with a condition of their own, do not always hold. */
function meaningOf({ constraints, groups, name = '', validateIf }: Rule): Schema | null {
  const isPlain = (groups ?? []).length === 0 && validateIf === undefined;
  const meaning = isPlain && Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
  return meaning?.(constraints ?? []) ?? null;
}

/** Adds what a further rule says. Of two types the narrower one is told. */
function join(schema: Schema, more: Schema): void {
  const { type } = schema;
  Object.assign(schema, more);
  const isNarrower = type === 'number' && schema['type'] === 'integer';
  if (type !== undefined && !isNarrower) schema['type'] = type;
}

function limits(given: Readonly<Record<string, unknown>>): Schema {
  const known = Object.entries(given).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(known) as Schema;
}

function oneOf(values: unknown): Schema | null {
  const isPlain = (value: unknown): value is JsonValue =>
    value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
  if (!Array.isArray(values) || values.length === 0 || !values.every(isPlain)) return null;
  return { enum: [...new Set<JsonValue>(values)] };
}
