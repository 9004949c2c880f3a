import type { JsonObject, JsonValue } from '#core';

/** A value of a source and where it stands. */
export interface Placed {
  readonly value: JsonValue | undefined;
  readonly pointer: string;
}

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
