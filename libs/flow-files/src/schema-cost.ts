import type { JsonObject, JsonValue } from '#core';
import { isObject } from './read-json.js';
import { patternSize } from './linear-pattern.js';

/** The greatest cost of checking one value. */
export interface Load {
  /** Steps for each character, name and entry of the value. */
  readonly work: number;
  /** References to recursive definitions that apply to one and the same part of the value. */
  readonly turns: number;
}

const NO_LOAD: Load = { work: 0, turns: 0 };

/** Steps that an instruction of a pattern takes for a character, where no shortcut is found. */
const STEPS_PER_INSTRUCTION = 10;

/** Steps that a format takes for a character: `url` is slow, and its texts are short. */
const STEPS_PER_FORMAT = 10;
const STEPS_PER_URL = 400;

/** A list may be gone through once on each of this many levels of a recursive schema. */
const LEVELS = 64;

const IN_PLACE = ['not', 'if', 'then', 'else'];
const LISTS_IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
const ELSEWHERE = [
  'additionalProperties',
  'contains',
  'items',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** The cost of a `$ref` at its place. */
type CostOfReference = (to: string) => Load;

/** Computes the cost of a schema, without the cost of its `$defs`. */
export function costOf(schema: JsonValue | undefined, costOfReference: CostOfReference): LoadMap {
  const cost = new LoadMap();
  if (!isObject(schema)) {
    cost.addOwn(1);
    return cost;
  }
  addPlain(schema, cost);
  if (typeof schema['$ref'] === 'string') {
    cost.own = both(cost.own, costOfReference(schema['$ref']));
  }
  const partCost = (part: JsonValue | undefined) => costOf(part, costOfReference);
  for (const part of partsInPlace(schema)) cost.add(partCost(part));
  addItems(schema, cost, (part) => partCost(part).total());
  addMembers(schema, cost, (part) => partCost(part).total());
  return cost;
}

/** Schemas inside a schema that apply to the same value as itself. */
export function partsInPlace(schema: JsonValue | undefined): readonly JsonValue[] {
  if (!isObject(schema)) return [];
  const single = IN_PLACE.flatMap((keyword) => schema[keyword] ?? []);
  const lists = LISTS_IN_PLACE.flatMap((keyword) => schema[keyword] ?? []);
  return [...single, ...lists, ...valuesOf(schema['dependentSchemas'])];
}

/** All schemas inside a schema, but for those under its `$defs`. */
export function partsOf(schema: JsonValue | undefined): readonly JsonValue[] {
  if (!isObject(schema)) return [];
  return [
    ...partsInPlace(schema),
    ...ELSEWHERE.flatMap((keyword) => schema[keyword] ?? []),
    ...[schema['prefixItems'] ?? []].flat(),
    ...valuesOf(schema['properties']),
    ...valuesOf(schema['patternProperties']),
  ];
}

/** Adds the cost of the keywords that hold no schemas; names of members count as well. */
function addPlain(schema: JsonObject, cost: LoadMap): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern') cost.addOwn(patternSteps(value));
    else if (keyword === 'format') cost.addOwn(value === 'url' ? STEPS_PER_URL : STEPS_PER_FORMAT);
    else if (keyword === 'uniqueItems') cost.addOwn(LEVELS);
    else if (isObject(value)) cost.addOwn(Object.keys(value).length);
    else if (Array.isArray(value)) cost.addOwn(value.length);
    if (COMPARED.has(keyword)) cost.addOwn(countValues(value));
  }
  cost.addOwn(Object.keys(schema).length + 1);
}

const COMPARED: ReadonlySet<string> = new Set(['enum', 'const', 'dependentRequired']);

type TotalOf = (schema: JsonValue | undefined) => Load;

/** Entries of a list have no part in common, but several keywords may apply to one. */
function addItems(schema: JsonObject, cost: LoadMap, totalOf: TotalOf): void {
  const { prefixItems, items, contains, unevaluatedItems } = schema;
  const first = Array.isArray(prefixItems)
    ? prefixItems.map(totalOf).reduce(either, NO_LOAD)
    : NO_LOAD;
  const rest = items === undefined ? NO_LOAD : totalOf(items);
  cost.items = both(cost.items, either(first, rest));
  for (const part of [contains, unevaluatedItems]) {
    if (part !== undefined) cost.items = both(cost.items, totalOf(part));
  }
}

function addMembers(schema: JsonObject, cost: LoadMap, totalOf: TotalOf): void {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  const others = additionalProperties === undefined ? NO_LOAD : totalOf(additionalProperties);
  cost.members = both(cost.members, others);
  // A member that `properties` names is not an additional one.
  const exempt = { work: -others.work, turns: -others.turns };
  for (const [name, part = null] of entriesOf(properties)) {
    cost.addNamed(name, both(totalOf(part), exempt));
  }
  for (const [pattern, part = null] of entriesOf(patternProperties)) {
    cost.addOwn(patternSteps(pattern));
    cost.members = both(cost.members, totalOf(part));
  }
  if (unevaluatedProperties !== undefined) {
    cost.members = both(cost.members, totalOf(unevaluatedProperties));
  }
  if (schema['propertyNames'] !== undefined) {
    cost.names = both(cost.names, totalOf(schema['propertyNames']));
  }
}

function patternSteps(pattern: JsonValue | undefined): number {
  return typeof pattern === 'string' ? patternSize(pattern) * STEPS_PER_INSTRUCTION : 0;
}

function entriesOf(value: JsonValue | undefined): readonly [string, JsonValue | undefined][] {
  return isObject(value) ? Object.entries(value) : [];
}

function valuesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return entriesOf(value).map(([, part]) => part ?? null);
}

/** Values inside a value, itself included. */
function countValues(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const part of Object.values(value)) count += countValues(part);
  return count;
}

/** The load of two schemas that both apply to the same part of a value. */
function both(a: Load, b: Load): Load {
  return { work: a.work + b.work, turns: a.turns + b.turns };
}

/** The load of two schemas that apply to different parts of a value. */
function either(a: Load, b: Load): Load {
  return { work: Math.max(a.work, b.work), turns: Math.max(a.turns, b.turns) };
}

/**
 * The cost of a schema by the part of the value that it arises at. Members and entries of a value
 * have no part in common: of schemas for different members, the most expensive one counts and not
 * the sum.
 */
class LoadMap {
  /** On the value itself, by this schema and all that apply to the same value. */
  own: Load = NO_LOAD;
  /** On entries of a list. */
  items: Load = NO_LOAD;
  /** On names of members. */
  names: Load = NO_LOAD;
  /** On any member. */
  members: Load = NO_LOAD;
  /** By member, in addition to `members`; below zero for a member that is exempt from those. */
  readonly #named = new Map<string, Load>();

  addOwn(work: number): void {
    this.own = { work: this.own.work + work, turns: this.own.turns };
  }

  addNamed(name: string, load: Load): void {
    this.#named.set(name, both(this.#named.get(name) ?? NO_LOAD, load));
  }

  /** Adds what another schema costs that applies to the same value. */
  add(other: LoadMap): void {
    this.own = both(this.own, other.own);
    this.items = both(this.items, other.items);
    this.names = both(this.names, other.names);
    this.members = both(this.members, other.members);
    for (const [name, load] of other.#named) this.addNamed(name, load);
  }

  /** The total cost of the schema. */
  total(): Load {
    let parts = either(either(this.items, this.names), this.members);
    for (const load of this.#named.values()) parts = either(parts, both(load, this.members));
    return both(this.own, parts);
  }
}
