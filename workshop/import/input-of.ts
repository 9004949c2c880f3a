import type { JsonObject, JsonValue } from '#core';

const NAMES_MAX = 500;

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
