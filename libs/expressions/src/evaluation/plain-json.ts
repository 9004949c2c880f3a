import type { JsonValue } from '#core';

/** Most members and entries of a result, whatever they are in. */
const PARTS_MAX = 250_000;

/** Most characters of a result: as many as fit into a task. */
const CHARACTERS_MAX = 4 * 1024 * 1024;

/** Most lists and objects inside each other. */
const DEPTH_MAX = 200;

const NO_VALUE = 'it comes to a function, which is no value';

/** Thrown where a result cannot be kept; the message says why, for the author of the flow. */
export class UnusableResult extends Error {
  override readonly name = 'UnusableResult';
}

/**
 * A result of the library as JSON and nothing else: nothing is null, members are own members, and
 * lists and objects are copies. All its lists together have a bound of entries. Throws
 * `UnusableResult`.
 */
export function plainJson(result: unknown, entriesMax: number): JsonValue {
  return new Copying(entriesMax).copy(result, 1);
}

class Copying {
  #entries = 0;
  #parts = 0;
  #characters = 0;

  constructor(private readonly entriesMax: number) {}

  copy(value: unknown, depth: number): JsonValue {
    switch (typeof value) {
      case 'undefined':
        return null;
      case 'boolean':
        return value;
      case 'string':
        this.#countText(value);
        return value;
      case 'number':
        if (Number.isFinite(value)) return value;
        throw new UnusableResult('it comes to a number that JSON has not');
      case 'object':
        return value === null ? null : this.#copyInner(value, depth);
      default:
        throw new UnusableResult(NO_VALUE);
    }
  }

  #copyInner(value: object, depth: number): JsonValue {
    if (depth > DEPTH_MAX) {
      throw new UnusableResult(`its result has more than ${DEPTH_MAX} lists inside each other`);
    }
    if (Array.isArray(value)) return this.#copyList(value, depth);
    if ('_jsonata_lambda' in value || '_jsonata_function' in value)
      throw new UnusableResult(NO_VALUE);
    const members = Object.entries(value);
    this.#countParts(members.length);
    return Object.fromEntries(
      members.map(([name, member]) => {
        this.#countText(name);
        return [name, this.copy(member, depth + 1)];
      }),
    );
  }

  #copyList(list: readonly unknown[], depth: number): JsonValue {
    this.#entries += list.length;
    if (this.#entries > this.entriesMax) {
      throw new UnusableResult(`its result has more than ${this.entriesMax} elements`);
    }
    this.#countParts(list.length);
    return Array.from(list, (entry) => this.copy(entry, depth + 1));
  }

  #countParts(count: number): void {
    this.#parts += count;
    if (this.#parts > PARTS_MAX) throw new UnusableResult('its result is larger than a task');
  }

  #countText({ length }: string): void {
    this.#characters += length;
    if (this.#characters > CHARACTERS_MAX) {
      throw new UnusableResult('its result is larger than a task');
    }
  }
}
