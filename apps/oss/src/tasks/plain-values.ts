import type { JsonObject, JsonValue } from '#core';
import { claimsReference, MASK } from '#core/secrets';
import { type InputFault, Problem } from '#http-server';
import { pointerPart } from '#json';

/** Faults that are told at once. */
const FAULTS_MAX = 20;

/**
 * Throws the `Problem` that values sent as an output, or as the payload of a signal, only stand for
 * others: the mask of a secret, or a reference to a secret, which nothing there resolves. Sealed
 * texts are refused by the reader of all bodies.
 */
export function expectPlain(values: JsonObject, pointer: string): void {
  refuseFaults(faultsIn(values, pointer, [maskFault, referenceFault]));
}

/** Throws the `Problem` that the mask of a secret is among values that are to be kept. */
export function expectNoMasks(values: JsonObject, pointer: string): void {
  refuseFaults(faultsIn(values, pointer, [maskFault]));
}

/** Pointers to masks in a value that is a secret. */
export function masksIn(value: JsonValue, pointer: string): readonly InputFault[] {
  return faultsIn(value, pointer, [maskFault]);
}

type FaultOf = (value: JsonValue, pointer: string) => InputFault | null;

function faultsIn(value: JsonValue, pointer: string, tests: readonly FaultOf[]): InputFault[] {
  const found = tests.map((test) => test(value, pointer)).find((fault) => fault !== null);
  if (found !== undefined) return [found];
  if (typeof value !== 'object' || value === null) return [];
  const faults: InputFault[] = [];
  for (const [name, part] of Object.entries(value) as [string, JsonValue | undefined][]) {
    if (part === undefined || faults.length >= FAULTS_MAX) continue;
    faults.push(...faultsIn(part, `${pointer}${pointerPart(name)}`, tests));
  }
  return faults;
}

function maskFault(value: JsonValue, pointer: string): InputFault | null {
  if (value !== MASK) return null;
  const message = `\`${MASK}\` is the mask of a hidden secret, and not a secret.`;
  return { pointer, message, hint: 'Leave the member out, or send the secret.' };
}

function referenceFault(value: JsonValue, pointer: string): InputFault | null {
  if (!claimsReference(value)) return null;
  const message = 'A reference to a secret is not resolved here.';
  return { pointer, message, hint: 'Send the value itself.' };
}

/** Throws the `Problem` that these are mistakes in values, if there are any. */
export function refuseFaults(faults: readonly InputFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem('INVALID_PARAMETERS', first.message, { errors: faults.slice(0, FAULTS_MAX) });
}
