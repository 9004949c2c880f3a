import { type FlowDefinition, type JsonObject, type OnlyStep, stepsUpTo } from '#core';
import { pointerPart } from '#json';
import { type InputFault, invalidRequest, Problem } from '#nest';
import { isJsonObject } from '../requests/decorators.js';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { expectNoSeals } from './secret-parameters.js';

/** The members of a request that say which step runs by itself. */
type OnlyRequest = Pick<CreateTaskRequest, 'given' | 'only'>;

/** The one step that a request is about; undefined: all of the flow runs. */
export function onlyOf({ given = {}, only }: OnlyRequest): OnlyStep | undefined {
  // Each member of what is given has been seen to be an object.
  return only === undefined ? undefined : { step: only, given: given as OnlyStep['given'] };
}

/**
 * Throws the `Problem` that the flow has no such step to run by itself, or that something is given
 * for a step that does not come before it. `isClear`: the values come from outside, in clear.
 */
export function expectOnly(
  definition: Pick<FlowDefinition, 'name' | 'steps'>,
  { given, only }: OnlyRequest,
  isClear: boolean,
): void {
  if (only === undefined) {
    if (given === undefined) return;
    const message = '`given` says what the steps before `only` have given.';
    throw invalidRequest({ pointer: '/given', message, hint: 'Name that step, or leave it out.' });
  }
  const steps = stepsUpTo(definition, only);
  if (steps === null) throw noSuchStep(definition, only);
  const before = steps.slice(0, -1).map(({ name }) => name);
  const errors = Object.entries(given ?? {}).flatMap(([name, output]) =>
    faultsIn({ name, output, before, only }),
  );
  if (errors.length > 0) throw new Problem('INVALID_REQUEST', errors[0]?.message ?? '', { errors });
  if (isClear && given !== undefined) expectNoSeals(given, '/given');
}

interface GivenOutput {
  readonly name: string;
  readonly output: JsonObject[string];
  /** Names of the steps before the only one. */
  readonly before: readonly string[];
  readonly only: string;
}

function faultsIn({ before, name, only, output }: GivenOutput): readonly InputFault[] {
  const pointer = `/given${pointerPart(name)}`;
  if (!before.includes(name)) {
    const message = `${name} is no step before ${only}.`;
    return [{ pointer, message, hint: before.length === 0 ? 'There is none.' : listed(before) }];
  }
  if (isJsonObject(output)) return [];
  return [{ pointer, message: `What step ${name} gave must be an object.` }];
}

function noSuchStep({ name, steps }: Pick<FlowDefinition, 'name' | 'steps'>, only: string) {
  const message = `Flow ${name} has no step ${only} of its own.`;
  const hint = listed(steps.map((step) => step.name));
  return invalidRequest({ pointer: '/only', message, hint });
}

const SHOWN_MAX = 10;

function listed(names: readonly string[]): string {
  const rest = names.length - SHOWN_MAX;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `There is ${names.slice(0, SHOWN_MAX).join(', ')}${more}.`;
}
