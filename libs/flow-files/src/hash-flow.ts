import { createHash } from 'node:crypto';
import type { FlowDefinition, JsonValue } from '#core';

/** SHA-256 of a definition, hex. Definitions that mean the same have the same, however written. */
export function hashFlow(definition: FlowDefinition): string {
  // The members of a definition are JSON values, all the way down.
  const value = definition as unknown as JsonValue;
  return createHash('sha256').update(canonicalText(value)).digest('hex');
}

/** JSON without white space, members sorted by name, those that are undefined left out. */
function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, part] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (part !== undefined) members.push(`${JSON.stringify(name)}:${canonicalText(part)}`);
  }
  return `{${members.join(',')}}`;
}
