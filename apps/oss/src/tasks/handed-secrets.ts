import { hash } from 'node:crypto';
import type { FlowDefinition, JsonObject, JsonValue, TaskPlan } from '#core';
import { canonicalJson } from '#core/json';
import { isSealed } from '#core/secrets';
import { stepsToRun } from '#core/transitions';
import { Problem } from '#http-server';
import { pointerPart } from '#json';

/** Sealed values that a request hands on: nobody has sent them with it. */
export interface HandedSecrets {
  /** Their owner. */
  readonly sealedFor: string;
  /** The work that they were given to, as `workOf` tells it. */
  readonly givenTo: string;
  /** When, in milliseconds since 1970. */
  readonly givenAt: number;
  /** To the sealed values among the parameters; empty: all of them were sent after all. */
  readonly pointers: readonly string[];
}

/** The parts of a flow, or of a task's plan, by which it uses its parameters. */
type Work = Pick<TaskPlan, 'steps'> & { readonly constants?: JsonObject | null };

/** A digest of what is done with parameters: equal ones use secrets alike. */
export function workOf({ constants = null, steps }: Work): string {
  return hash('sha256', canonicalJson([steps, constants]), 'base64url');
}

/** The work of a flow's tasks, or of one that runs only one step. */
export function workOfFlow(definition: FlowDefinition, only: string | undefined): string {
  const steps = stepsToRun(definition, only === undefined ? undefined : { step: only });
  return workOf({ steps, constants: definition.constants ?? null });
}

/** Pointers to the sealed values in a value. */
export function sealedPointers(value: JsonValue | undefined, pointer: string): readonly string[] {
  if (isSealed(value)) return [pointer];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    return sealedPointers(part, `${pointer}${pointerPart(name)}`);
  });
}

/**
 * Throws the `Problem` that a flow does other work by now than the one that secrets were given to:
 * whoever changed it was not given them.
 */
export function expectSameWork(
  definition: FlowDefinition,
  only: string | undefined,
  { givenTo, pointers }: Pick<HandedSecrets, 'givenTo' | 'pointers'> = NONE,
): void {
  if (pointers.length === 0 || workOfFlow(definition, only) === givenTo) return;
  const { name } = definition;
  const shown = pointers.slice(0, ERRORS_MAX);
  const message = `Flow ${name} has other steps than those that this secret was given to.`;
  const errors = shown.map((pointer) => ({ pointer, message, hint: 'Send the secret again.' }));
  const detail = `Flow ${name} has changed since it was given secrets: send ${shown.join(', ')} again.`;
  throw new Problem('SECRET_NEEDED', detail, { errors });
}

const NONE = { givenTo: '', pointers: [] };

/** Members that are named at once. */
const ERRORS_MAX = 20;
