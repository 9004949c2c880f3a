import type { JsonObject, JsonValue } from '#core';
import { claimsReference, isReference, REFERENCE_FORM, REFERENCE_MEMBER } from '#core/secrets';
import { type InputFault, Problem } from '#http-server';
import { pointerPart } from '#json';

/** A value that is sent where a flow's input says that a secret stands. */
export interface Given {
  readonly value: JsonValue;
  readonly pointer: string;
}

/** Faults that are told at once. */
const FAULTS_MAX = 20;

/**
 * Throws the `Problem` that what is sent in the place of secrets claims to be a reference and is
 * none, or that one stands among the other parameters, where it would be fetched for nobody.
 */
export function expectReferences(given: readonly Given[], others: JsonObject): void {
  const faults: InputFault[] = [];
  for (const { pointer, value } of given) {
    if (isReference(value)) continue;
    if (claimsReference(value)) faults.push(wrongForm(pointer));
    else findIn(value, pointer, (at) => faults.push(notWhole(at)));
  }
  findIn(others, '/parameters', (at) => faults.push(notSecret(at)));
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem('INVALID_PARAMETERS', first.message, { errors: faults.slice(0, FAULTS_MAX) });
}

/** Calls for each value that claims to be a reference. */
function findIn(value: JsonValue, pointer: string, found: (pointer: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (claimsReference(value)) return found(pointer);
  for (const [name, part] of Object.entries(value) as [string, JsonValue | undefined][]) {
    if (typeof part !== 'object' || part === null) continue;
    findIn(part, `${pointer}${pointerPart(name)}`, found);
  }
}

function wrongForm(pointer: string): InputFault {
  const message = `\`${REFERENCE_MEMBER}\` must be ${REFERENCE_FORM}, and stand alone.`;
  const hint = `Write for example {"${REFERENCE_MEMBER}": "vault:kv/db#password"}.`;
  return { pointer, message, hint };
}

function notWhole(pointer: string): InputFault {
  const message = 'A reference stands for a whole secret, not for a part of one.';
  return { pointer, message, hint: "Mark this member as secret in the flow's `input`." };
}

function notSecret(pointer: string): InputFault {
  const message = `\`${REFERENCE_MEMBER}\` refers to a secret, but the flow takes none here.`;
  return { pointer, message, hint: 'Set "secret": true for this member in its `input`.' };
}
