import type { JsonObject, JsonValue } from '#core';
import type { Notes } from './names.js';

/** A value of a source and where it stands. */
export interface Placed {
  readonly value: JsonValue | undefined;
  readonly pointer: string;
}

/** The notes and the defaults that the flows of one import share. */
export interface Target {
  readonly notes: Notes;
  /** Module of commands that the source names without one. */
  readonly module: string;
  /** Name of the flow where the source has none. */
  readonly name: string;
}

const NAMES_MAX = 500;

/** Whether a value is an object, neither null nor a list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A pointer to a member (RFC 6901). */
export function below(pointer: string, segment: string | number): string {
  return `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A member of an object, if it has it itself. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A member that is an object; else an empty one. */
export function objectIn(value: JsonValue | undefined, name: string): JsonObject {
  const found = memberOf(value, name);
  return isObject(found) ? found : {};
}

/** A member that is a list; else an empty one. */
export function listIn(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  const found = memberOf(value, name);
  return Array.isArray(found) ? (found as readonly JsonValue[]) : [];
}

/** A member that is a text with something in it. */
export function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A member that is a number from 0 on. */
export function numberIn(value: JsonValue | undefined, name: string): number | undefined {
  const found = memberOf(value, name);
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

/** An object of these members; `fromEntries` defines them, so that none reaches a prototype. */
export function objectOf(entries: Iterable<readonly [string, JsonValue | undefined]>): JsonObject {
  return Object.fromEntries([...entries].filter(([, value]) => value !== undefined));
}

/** Text of the author as it is quoted in messages. */
export function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/**
 * The schema of a flow's input, of what its expressions read: sources do not say what types their
 * parameters have, and refuse none.
 */
export function inputOf(flow: JsonObject, declared: readonly string[]): JsonObject {
  const names = new Set(declared);
  collect(flow, names);
  const properties = [...names].slice(0, NAMES_MAX).map((name): [string, JsonValue] => [name, {}]);
  return { properties: Object.fromEntries(properties), additionalProperties: true };
}

function collect(value: JsonValue | undefined, names: Set<string>): void {
  if (typeof value === 'string') {
    if (!value.startsWith('{%')) return;
    for (const [, plain, quoted] of value.matchAll(/\$input\.(?:([A-Za-z_]\w*)|`([^`]+)`)/g)) {
      names.add(plain ?? quoted ?? '');
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collect(inner, names);
  }
}
