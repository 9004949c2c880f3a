import type { EventOf, JsonObject, Task } from '#core';
import { actionOf, placeOf, placeOfStep } from '#core/scopes';
import { referencesIn, sealOwner } from '#core/secrets';
import type { Secrets } from '#ports';
import type { ExecutorDirectory } from './executor-directory.js';
import type { PersonsEvent } from './operate-task.js';
import type { EngineParts } from './parts.js';
import { sealParameters } from './seal-request.js';
import { sealMembers } from './seal-values.js';

/** The parts that tell which values of an event are secret. */
interface EventSealParts extends Pick<EngineParts, 'flows' | 'store'> {
  readonly secrets: Secrets;
  readonly directory: Pick<ExecutorDirectory, 'secretsOf'>;
}

/** An event that a person, or the holder of a handed-out attempt, sends to a task. */
type Said = PersonsEvent | EventOf<'completed'>;

/**
 * The event with the secrets that it brings along sealed: parameters by the input of the task's
 * flow, an output by what its command says. Throws `NoSecretKey` and `StoreUnavailable`.
 */
export async function sealEvent<E extends Said>(
  parts: EventSealParts,
  taskId: string,
  event: E,
): Promise<E> {
  const output = outputIn(event);
  const parameters = 'parameters' in event ? event.parameters : undefined;
  if (output === undefined && parameters === undefined) return event;
  const task = await parts.store.get(taskId);
  if (task === null) return event;
  const owner = sealOwner(task.plan);
  if (parameters !== undefined) {
    const { flow, flowVersion } = task.plan;
    const definition = (await parts.flows.getFlow(flow, flowVersion))?.definition ?? NO_INPUT;
    const how = { definition, isHandedOn: false, owner };
    const sealed = sealParameters(parts.secrets, parameters, how);
    const isPlain = sealed === parameters && referencesIn(sealed).length === 0;
    return isPlain ? event : { ...event, parameters: sealed, hasSecrets: true };
  }
  const names = await namesFor(parts, task, event);
  if (output === undefined) return event;
  const sealed = sealMembers(parts.secrets, output, { isHandedOn: false, names, owner });
  return sealed === output ? event : withOutput(event, sealed);
}

const NO_INPUT = { input: null };

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
