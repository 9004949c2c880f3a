import { types } from 'node:util';
import type { JsonObject, JsonValue } from '#core';
import { jsonSize } from '#core/json';

/** Deeper than any document; what holds itself is found by it as well. */
const DEPTH_MAX = 500;

/** This number of members is looked at however little may be written of them. */
const VISITS_FREE = 1_000;

/** The value is larger than it may be. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

type Members = Readonly<Record<string, unknown>>;

/** Where a value stands: the member or position that has it, and how deep. */
interface Place {
  readonly key: string;
  readonly depth: number;
}

/** Values of no JSON type, in words. */
const LOST_TYPES: Readonly<Record<string, string>> = {
  bigint: 'a BigInt',
  function: 'a function',
  symbol: 'a symbol',
};

type ObjectTest = (value: object) => boolean;

/** Objects whose content JSON does not write, in words. */
const LOST_OBJECTS: readonly (readonly [ObjectTest, string])[] = [
  [types.isPromise, 'a promise: await it'],
  [types.isMap, 'a Map: return Object.fromEntries(map)'],
  [types.isSet, 'a Set: return [...set]'],
  [types.isNativeError, 'an Error: return its message'],
  [types.isRegExp, 'a regular expression'],
  [types.isAnyArrayBuffer, 'an ArrayBuffer'],
  [(value) => ArrayBuffer.isView(value), 'bytes: return them as a text, for example in base64'],
  [(value) => Symbol.asyncIterator in value, 'a stream: read it to its end'],
  [(value) => Symbol.iterator in value, 'an iterator: return [...iterator]'],
  [isEmptyNative, 'an object whose content JSON cannot write'],
];

/**
 * Makes the JSON value that `JSON.stringify` and `JSON.parse` would make of a value, and reads each
 * member of it once. Stops at the first byte beyond the limit, so a value of any size costs no more
 * than one of the largest allowed. Throws `TooLarge`, a `TypeError` that names the first thing that
 * JSON would drop or replace, and whatever a getter, a proxy or `toJSON` throws.
 */
export class OutputReader {
  #left: number;
  /** Members that leave nothing cost time all the same. */
  #visits = 0;

  constructor(private readonly maxBytes: number) {
    this.#left = maxBytes;
  }

  /** The JSON value; undefined for undefined alone. */
  read(value: unknown): JsonValue | undefined {
    return this.#read(value, '', 0);
  }

  #read(given: unknown, key: string, depth: number): JsonValue | undefined {
    const value = unboxed(this.#asJson(given, key));
    switch (typeof value) {
      case 'string':
        // Each character is a byte at least: a long text is not looked through.
        if (value.length > this.#left) this.#takeBytes(value.length);
        this.#takeBytes(jsonSize(value));
        return value;
      case 'number':
        return this.#number(value, key);
      case 'boolean':
        this.#takeBytes(value ? 4 : 5);
        return value;
      case 'object':
        return value === null ? this.#null() : this.#opened(value, { key, depth: depth + 1 });
      case 'undefined':
        return undefined;
      default:
        throw notKept(LOST_TYPES[typeof value] as string, key);
    }
  }

  /** The result of the value's `toJSON`; the value itself where it has none. */
  #asJson(value: unknown, key: string): unknown {
    const mayTell = (typeof value === 'object' && value !== null) || typeof value === 'bigint';
    if (!mayTell) return value;
    // It would make a list of its bytes, or a name for each, before anything can be counted.
    if (ArrayBuffer.isView(value) && value.byteLength > this.#left) throw new TooLarge();
    const { toJSON } = value as { readonly toJSON?: unknown };
    return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
  }

  #number(value: number, key: string): number {
    if (!Number.isFinite(value)) throw notKept(String(value), key);
    this.#takeBytes(String(value).length);
    // JSON has no negative zero.
    return value === 0 ? 0 : value;
  }

  #null(): null {
    this.#takeBytes(4);
    return null;
  }

  #opened(value: object, { key, depth }: Place): JsonValue {
    const lost = lostBy(value);
    if (lost !== null) throw notKept(lost, key);
    if (depth > DEPTH_MAX) {
      throw new TypeError(`it is nested more than ${DEPTH_MAX} levels deep, or is circular`);
    }
    this.#takeBytes(2);
    return Array.isArray(value) ? this.#items(value, depth) : this.#members(value, depth);
  }

  #items(items: readonly unknown[], depth: number): JsonValue[] {
    const copy: JsonValue[] = [];
    const { length } = items;
    for (let index = 0; index < length; index++) {
      if (index > 0) this.#takeBytes(1);
      const item = this.#read(items[index], String(index), depth);
      copy.push(item === undefined ? this.#null() : item);
    }
    return copy;
  }

  #members(value: object, depth: number): JsonValue {
    const copy: Record<string, JsonValue> = {};
    let isFirst = true;
    for (const key of Object.keys(value)) {
      this.#visit();
      const member = this.#read((value as Members)[key], key, depth);
      if (member === undefined) continue;
      if (!isFirst) this.#takeBytes(1);
      isFirst = false;
      this.#takeBytes(1 + (key.length > this.#left ? key.length : jsonSize(key)));
      if (key === '__proto__') defineMember(copy, key, member);
      else copy[key] = member;
    }
    return copy;
  }

  #visit(): void {
    this.#visits += 1;
    if (this.#visits > Math.max(this.maxBytes, VISITS_FREE)) throw new TooLarge();
  }

  #takeBytes(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new TooLarge();
  }
}

/** The reason in words why JSON would lose an object's content; null: it would not. */
function lostBy(value: object): string | null {
  if (Array.isArray(value)) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return null;
  return LOST_OBJECTS.find(([is]) => is(value))?.[1] ?? null;
}

/** Such as a WeakMap, a `Response` or a `Blob`: it names its type, and has no members to write. */
function isEmptyNative(value: object): boolean {
  const isNamed = Object.prototype.toString.call(value) !== '[object Object]';
  return isNamed && Object.keys(value).length === 0;
}

function notKept(what: string, key: string): TypeError {
  const place = key === '' ? 'it' : `member \`${key}\``;
  return new TypeError(`${place} is ${what}, which JSON does not keep`);
}

function unboxed(value: unknown): unknown {
  const isBoxed = typeof value === 'object' && value !== null && types.isBoxedPrimitive(value);
  return isBoxed ? (value as { valueOf(): unknown }).valueOf() : value;
}

/** An assignment would set the prototype. */
function defineMember(target: object, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/**
 * An output of a command as JSON text. Throws a `TypeError` that names the first thing that JSON
 * would drop or replace.
 */
export function outputText(output: JsonObject): string {
  return JSON.stringify(new OutputReader(Infinity).read(output));
}
