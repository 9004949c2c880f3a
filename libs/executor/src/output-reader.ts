import { types } from 'node:util';
import type { JsonValue } from '#core';
import { jsonSize } from '#core';

/** Deeper than any document; what holds itself is found by it as well. */
const DEPTH_MAX = 500;

/** So many members are looked at however little may be written of them. */
const VISITS_FREE = 1_000;

/** The value is larger than it may be. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Makes the JSON value that `JSON.stringify` and `JSON.parse` would make of a value, and reads each
 * member of it once. Stops at the first byte beyond the limit, so a value of any size costs no more
 * than one of the largest allowed. Throws `TooLarge`, and whatever a getter, a proxy or `toJSON`
 * throws.
 */
export class OutputReader {
  #left: number;
  /** Members that leave nothing cost time all the same. */
  #visits = 0;

  constructor(private readonly maxBytes: number) {
    this.#left = maxBytes;
  }

  /** The JSON value; undefined where JSON has none, as for a function. */
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
        return this.#number(value);
      case 'boolean':
        this.#takeBytes(value ? 4 : 5);
        return value;
      case 'bigint':
        throw new TypeError('JSON cannot hold a BigInt');
      case 'object':
        return value === null ? this.#null() : this.#opened(value, depth + 1);
      default:
        return undefined;
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

  #number(value: number): number | null {
    if (!Number.isFinite(value)) return this.#null();
    this.#takeBytes(String(value).length);
    // JSON has no negative zero.
    return value === 0 ? 0 : value;
  }

  #null(): null {
    this.#takeBytes(4);
    return null;
  }

  #opened(value: object, depth: number): JsonValue {
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
