import type {
  EventOf,
  FlowDefinition,
  JsonObject,
  JsonValue,
  OnlyStep,
  StepPlan,
  Task,
  TaskRequest,
} from '#core';
import { actionOf, placeOf, placeOfStep } from '#core/scopes';
import {
  changeSecrets,
  hasSecretInput,
  isReference,
  isSealed,
  mapMembers,
  mapTexts,
  referencesIn,
  referencesOf,
  sealOwner,
} from '#core/secrets';
import { mergedParameters } from '#core/values';
import { CannotOpenSecret, type Secrets } from '#ports';
import type { ExecutorDirectory } from './executor-directory.js';
import { OpenedSecrets } from './opened-secrets.js';
import type { PersonsEvent } from './operate-task.js';
import type { EngineParts } from './parts.js';

/** The flow and the task that a request is sealed for. */
interface SealFor {
  readonly definition: Pick<FlowDefinition, 'constants' | 'input' | 'steps'>;
  readonly taskId: string;
}

/** The owner for which values are sealed, and where they come from. */
interface SealOf {
  readonly owner: string;
  /** Sealed values stay as they are: they come from a task and not from outside. */
  readonly isHandedOn: boolean;
}

/** The owner for which values are sealed so far, and the one for which they are to be. */
interface SealAnew {
  /** Undefined: they are sealed for the right one. */
  readonly from: string | undefined;
  readonly to: string;
}

/** The parts that tell which values of an output are secret. */
interface GivenSealParts {
  readonly secrets: Secrets;
  readonly directory: Pick<ExecutorDirectory, 'secretsOf'>;
}

/** A task that runs one step by itself, and the steps of its flow. */
interface OnlyTask {
  readonly only: OnlyStep;
  readonly steps: readonly StepPlan[];
  readonly taskId: string;
}

/** The parts that tell which values of an event are secret. */
interface EventSealParts extends Pick<EngineParts, 'flows' | 'store'> {
  readonly secrets: Secrets;
  readonly directory: Pick<ExecutorDirectory, 'secretsOf'>;
}

/** An event that a person, or the holder of a handed-out attempt, sends to a task. */
type Said = PersonsEvent | EventOf<'completed'>;

const NO_INPUT = { input: null };

/**
 * The request with all that its flow's input calls secret sealed, and with the references among it
 * named; the same object where there is nothing. Values that a parent hands on stay as they were
 * sealed for the parent, and values that were sealed for another owner are sealed again. Throws
 * `NoSecretKey` and `CannotOpenSecret`.
 */
export function sealRequest(
  secrets: Secrets,
  request: TaskRequest,
  { definition, taskId }: SealFor,
): TaskRequest {
  const { parent = null, sealedFor } = request;
  const isWritten = referencesOf(definition).length > 0;
  if (sealedFor === undefined && !isWritten && !hasSecretInput(definition)) return request;
  const owner = sealOwner({ parent, taskId });
  const own = sealAnew(secrets, request.parameters, { from: sealedFor, to: owner });
  const isHandedOn = parent !== null || sealedFor !== undefined;
  const parameters = sealParameters(secrets, own, { definition, isHandedOn, owner });
  // A task around it names them: what it hands on may come from anywhere.
  const given = parent === null ? referencesAmong(definition, parameters) : [];
  if (parameters === request.parameters && !isWritten && given.length === 0) return request;
  const references = given.length === 0 ? request.references : given;
  return { ...request, parameters, references, hasSecrets: true };
}

/** The references that stand where a flow's input says that a secret does. */
function referencesAmong(
  definition: Pick<FlowDefinition, 'input'>,
  parameters: JsonObject,
): readonly string[] {
  const found: JsonValue[] = [];
  changeSecrets(definition, parameters, (value) => {
    if (isReference(value)) found.push(value);
    return value;
  });
  return referencesIn(found);
}

/** Parameters with the secrets of this input sealed; null is none. Throws `NoSecretKey`. */
export function sealParameters(
  secrets: Secrets,
  parameters: JsonObject,
  { definition, ...how }: SealOf & { readonly definition: Pick<FlowDefinition, 'input'> },
): JsonObject {
  if (!hasSecretInput(definition)) return parameters;
  return changeSecrets(definition, parameters, (value) => sealValue(secrets, value, how));
}

/**
 * A value that is secret, sealed; null is none, and a reference to one is none either. Throws
 * `NoSecretKey`.
 */
function sealValue(secrets: Secrets, value: JsonValue, { isHandedOn, owner }: SealOf): JsonValue {
  if (value === null || isReference(value) || (isHandedOn && isSealed(value))) return value;
  return secrets.seal(value, owner);
}

/** An object with the members of these names sealed. Throws `NoSecretKey`. */
function sealMembers(
  secrets: Secrets,
  object: JsonObject,
  { names, ...how }: SealOf & { readonly names: readonly string[] },
): JsonObject {
  if (names.length === 0) return object;
  return mapMembers(object, (value, name) => {
    return names.includes(name) ? sealValue(secrets, value, how) : value;
  });
}

/** Values as sealed for another owner. Throws `NoSecretKey` and `CannotOpenSecret`. */
function sealAnew(secrets: Secrets, values: JsonObject, { from, to }: SealAnew): JsonObject {
  if (from === undefined) return values;
  const change = (text: string): string => {
    return isSealed(text) ? secrets.seal(secrets.open(text, from), to) : text;
  };
  return mapTexts(values, change) as JsonObject;
}

/**
 * The request with the secrets sealed among the outputs that are given for steps before the only
 * one: those members that the command of such a step gives as secrets. Values that were sealed for
 * another owner are sealed again. Throws `NoSecretKey`, `CannotOpenSecret` and `StoreUnavailable`.
 */
export async function sealGiven(
  { directory, secrets }: GivenSealParts,
  request: TaskRequest,
  { only, steps, taskId }: OnlyTask,
): Promise<TaskRequest> {
  const { parent = null, sealedFor } = request;
  const owner = sealOwner({ parent, taskId });
  const sealed = await Promise.all(
    Object.entries(only.given).map(async ([name, output]) => {
      const { normal } = steps.find((step) => step.name === name) ?? {};
      const names =
        normal === undefined ? [] : await directory.secretsOf(normal.module, normal.command);
      const anew = sealAnew(secrets, output, { from: sealedFor, to: owner });
      return [name, sealMembers(secrets, anew, { isHandedOn: true, names, owner })] as const;
    }),
  );
  const isSame = sealed.every(([name, output]) => only.given[name] === output);
  if (isSame) return request;
  return { ...request, only: { ...only, given: Object.fromEntries(sealed) }, hasSecrets: true };
}

/**
 * The event with the secrets that it brings along sealed: parameters by the input of the task's
 * flow, an output by what its command says; in the reason for a failure those of the task are
 * masked. Throws `NoSecretKey` and `StoreUnavailable`.
 */
export async function sealEvent<E extends Said>(
  parts: EventSealParts,
  taskId: string,
  event: E,
): Promise<E> {
  const output = outputIn(event);
  const parameters = 'parameters' in event ? event.parameters : undefined;
  const hasFailed = 'result' in event && 'failure' in event.result;
  if (output === undefined && parameters === undefined && !hasFailed) return event;
  const task = await parts.store.get(taskId);
  if (task === null) return event;
  if (hasFailed) return maskFailure(parts.secrets, task, event);
  const owner = sealOwner(task.plan);
  if (parameters !== undefined) {
    const { flow, flowVersion } = task.plan;
    const definition = (await parts.flows.getFlow(flow, flowVersion))?.definition ?? NO_INPUT;
    const how = { definition, isHandedOn: false, owner };
    const own = sealParameters(parts.secrets, parameters, how);
    // A secret that a command gave stays one, also where a person sends it.
    const names = namesSealedIn(task);
    const sealed = sealMembers(parts.secrets, own, { isHandedOn: true, names, owner });
    const isPlain = sealed === parameters && referencesIn(sealed).length === 0;
    return isPlain ? event : { ...event, parameters: sealed, hasSecrets: true };
  }
  const names = await namesFor(parts, task, event);
  if (output === undefined) return event;
  const sealed = sealMembers(parts.secrets, output, { isHandedOn: false, names, owner });
  return sealed === output ? event : withOutput(event, sealed);
}

/** Masks the secrets of a task, as far as this process can open them. */
function maskFailure<E extends Said>(secrets: Secrets, task: Task, event: E): E {
  if (!task.hasSecrets || !('result' in event) || !('failure' in event.result)) return event;
  const opened = new OpenedSecrets(secrets, sealOwner(task.plan));
  const outputs = task.runs.map(({ normal }) => normal.output);
  for (const values of [mergedParameters(task), ...outputs]) {
    try {
      if (values !== null) opened.open(values);
    } catch (error) {
      if (!(error instanceof CannotOpenSecret)) throw error;
    }
  }
  const { failure } = event.result;
  return { ...event, result: { failure: { ...failure, message: opened.masked(failure.message) } } };
}

/** Names of the parameters of a task that are secrets by now, commands' outputs too. */
export function namesSealedIn(task: Task): readonly string[] {
  if (!task.hasSecrets) return [];
  const known = Object.entries(mergedParameters(task));
  return known.flatMap(([name, value]) => (isSealed(value) ? [name] : []));
}

function outputIn(event: Said): JsonObject | undefined {
  if (event.kind === 'skip_requested') return event.output;
  if (!('result' in event) || !('output' in event.result)) return undefined;
  return event.result.output ?? undefined;
}

function withOutput<E extends Said>(event: E, output: JsonObject): E {
  if ('result' in event) return { ...event, result: { output }, hasSecrets: true };
  return { ...event, output, hasSecrets: true };
}

/** Members of the output that the command of the step gives as secrets. */
async function namesFor(
  { directory }: Pick<EventSealParts, 'directory'>,
  task: Task,
  event: Said,
): Promise<readonly string[]> {
  const place = placeIn(task, event);
  if (place === null) return [];
  const action = actionOf(task, { direction: 'normal', step: place });
  return action === undefined ? [] : directory.secretsOf(action.module, action.command);
}

function placeIn(task: Task, event: Said): number | null {
  if (event.kind === 'completed') return event.step;
  if (event.kind !== 'skip_requested' && event.kind !== 'complete_ordered') return null;
  return placeOf(task, event.step) ?? placeOfStep(task, event.step);
}
