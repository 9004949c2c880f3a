import { claimsReference, isReference, type JsonValue, REFERENCE_FORM } from '#core';
import { joinPointer } from '../json-pointer.js';
import type { Finding } from '../problem.js';
import type { Examination } from './examination.js';
import { memberOf } from './list-view.js';
import { templatesIn } from './templates.js';

/** Looks whether every reference to a secret that an author wrote can be one. */
export function checkReferences({
  definition,
  lists,
  origins,
  pointer,
  problems,
}: Examination): void {
  const look = (value: JsonValue, at: string): void => {
    for (const place of wrongIn(value, at)) problems.add(wrongReference(place));
  };
  look(definition.constants ?? null, joinPointer(pointer, 'constants'));
  for (const { steps } of lists) {
    for (const step of steps) {
      for (const { path, template } of templatesIn(step)) {
        look(template, memberOf(step, origins, ...path));
      }
    }
  }
}

function wrongIn(value: JsonValue, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (claimsReference(value)) return isReference(value) ? [] : [at];
  const parts = Object.entries(value) as [string, JsonValue | undefined][];
  return parts.flatMap(([name, part = null]) => wrongIn(part, joinPointer(at, name)));
}

function wrongReference(pointer: string): Finding {
  const message = `A reference to a secret must be ${REFERENCE_FORM}, and stand alone.`;
  const hint = 'Write for example {"$secret": "vault:kv/db#password"}.';
  return { pointer, code: 'WRONG_REFERENCE', message, hint };
}
