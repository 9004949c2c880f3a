/** Deeper than any document; a cycle is found by it as well. */
const DEPTH_MAX = 100;

/** A character takes six bytes at most, as an escape. */
const BYTES_PER_CHARACTER = 6;

/** A number, `true`, `false`, `null`. */
const BYTES_PER_SCALAR = 25;

/**
 * An upper bound of a value's length as JSON, far cheaper than writing it. Undefined: it holds what
 * JSON does not keep as it is (a date, a `NaN`, an instance of a class), or is too deep.
 */
export function jsonBound(value: unknown, depth = 0): number | undefined {
  switch (typeof value) {
    case 'string':
      return value.length * BYTES_PER_CHARACTER + 2;
    case 'boolean':
      return BYTES_PER_SCALAR;
    case 'number':
      return Number.isFinite(value) ? BYTES_PER_SCALAR : undefined;
    case 'object':
      if (value === null) return BYTES_PER_SCALAR;
      if (depth === DEPTH_MAX) return undefined;
      return Array.isArray(value) ? arrayBound(value, depth) : objectBound(value, depth);
    default:
      return undefined;
  }
}

function arrayBound(items: readonly unknown[], depth: number): number | undefined {
  let sum = 2;
  for (const item of items) {
    const bound = jsonBound(item, depth + 1);
    if (bound === undefined) return undefined;
    sum += bound + 1;
  }
  return sum;
}

function objectBound(value: object, depth: number): number | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  let sum = 2;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const bound = jsonBound(member, depth + 1);
    if (bound === undefined) return undefined;
    sum += key.length * BYTES_PER_CHARACTER + 4 + bound;
  }
  return sum;
}
