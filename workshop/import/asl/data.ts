import type { JsonValue } from '#core';
import { at, constant, enclosed, literal, marked, type Segment } from '../code.js';
import { objectOf } from '../source.js';

/**
 * A value of a state machine as an expression can name it. Step Functions hands one document from
 * state to state; here each part of it is named where it came from.
 */
export type Data =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'list'; readonly items: readonly Data[] }
  | {
      readonly kind: 'object';
      /** The value that the members override; null: none. */
      readonly base: Data | null;
      readonly members: ReadonlyMap<string, Data>;
    };

/** The value of an expression. */
export function coded(code: string): Data {
  return { kind: 'code', code };
}

/** An object of these members alone. */
export function members(entries: Iterable<readonly [string, Data]>): Data {
  return { kind: 'object', base: null, members: new Map(entries) };
}

/** The value at a path. */
export function select(data: Data, path: readonly Segment[]): Data {
  const [first, ...rest] = path;
  if (first === undefined) return data;
  if (data.kind === 'list') {
    const item = typeof first === 'number' ? data.items[first] : undefined;
    return item === undefined ? coded(at(enclosed(codeOf(data)), path)) : select(item, rest);
  }
  if (data.kind === 'object' && typeof first === 'string') {
    const member = data.members.get(first);
    if (member !== undefined) return select(member, rest);
    if (data.base !== null) return select(data.base, path);
  }
  return coded(at(enclosed(codeOf(data)), path));
}

/** The data with another value at a path of names; the path is not empty. */
export function put(data: Data, [first, ...rest]: readonly string[], value: Data): Data {
  if (first === undefined) return value;
  const inner = rest.length === 0 ? value : put(select(data, [first]), rest, value);
  if (data.kind !== 'object') {
    return { kind: 'object', base: data, members: new Map([[first, inner]]) };
  }
  return { ...data, members: new Map([...data.members, [first, inner]]) };
}

/** JSONata for all of it. */
export function codeOf(data: Data): string {
  switch (data.kind) {
    case 'code':
      return data.code;
    case 'value':
      return literal(data.value);
    case 'list':
      return `[${data.items.map(codeOf).join(', ')}]`;
    default: {
      const own = [...data.members].map(([name, value]) => `${literal(name)}: ${codeOf(value)}`);
      const object = `{${own.join(', ')}}`;
      return data.base === null ? object : `$merge([${codeOf(data.base)}, ${object}])`;
    }
  }
}

/** As it stands in a flow: constants as they are, the rest as expressions. */
export function written(data: Data, check: (code: string) => string = marked): JsonValue {
  switch (data.kind) {
    case 'value':
      return constant(data.value);
    case 'list':
      return data.items.map((item) => written(item, check));
    case 'object':
      if (data.base !== null) return check(codeOf(data));
      return objectOf([...data.members].map(([name, value]) => [name, written(value, check)]));
    default:
      return check(data.code);
  }
}
