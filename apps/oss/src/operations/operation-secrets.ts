import type { FlowDefinition, JsonObject, Task } from '#core';
import { canonicalJson } from '#core/json';
import { changeSecrets, isReference, isSealed } from '#core/secrets';
import { namesSealedIn } from '#engine';
import type { OperationOrder, Secrets } from '#ports';
import { openParameters } from '../tasks/secret-parameters.js';

/** The flows that an operation may be about, which say what is secret. */
export type FlowInputs = readonly { readonly definition: Pick<FlowDefinition, 'input'> }[];

/** An operation as it is known by its id. */
interface Ordered {
  readonly operationId: string;
  readonly order: OperationOrder;
}

/**
 * The order with all of its parameters sealed that any flow calls secret: an operation may be about
 * tasks of every flow. Throws `NoSecretKey`, and the `Problem` that something is sealed already.
 */
export function sealOrder(
  secrets: Secrets,
  flows: FlowInputs,
  { operationId, order }: Ordered,
): OperationOrder {
  return changeOrder(flows, withOutput(secrets, operationId, order), (value) => {
    return secrets.seal(value, ownerOf(operationId));
  });
}

/** The secrets among the parameters of a task by now, commands' outputs too, as an input. */
export function secretsIn(task: Task): FlowInputs[number] {
  const properties = Object.fromEntries(
    namesSealedIn(task).map((name) => [name, { secret: true }]),
  );
  return { definition: { input: { properties } } };
}

/** Which members of an output are secret is told by each task's command: all are sealed. */
function withOutput(secrets: Secrets, operationId: string, order: OperationOrder): OperationOrder {
  const { output } = order.details;
  if (!secrets.canSeal || typeof output !== 'object' || output === null) return order;
  const sealed = secrets.seal(output, ownerOf(operationId));
  return { ...order, details: { ...order.details, output: sealed } };
}

/** The members of the action besides the reason, in clear. Throws a `Problem`. */
export function openDetails(secrets: Secrets, { operationId, order }: Ordered): JsonObject {
  return openParameters(secrets, order.details, ownerOf(operationId));
}

/** The order with a fingerprint in the place of each secret, by the key that seals now. */
export function orderToHash(
  secrets: Secrets,
  flows: FlowInputs,
  order: OperationOrder,
): OperationOrder {
  return changeOrder(flows, order, (value) => {
    return `fingerprint ${secrets.fingerprints(canonicalJson(value))[0] ?? ''}`;
  });
}

function changeOrder(
  flows: FlowInputs,
  order: OperationOrder,
  change: (value: JsonObject[string] & {}) => string,
): OperationOrder {
  const { parameters } = order.details;
  if (typeof parameters !== 'object' || parameters === null) return order;
  let next = parameters as JsonObject;
  const done = new Set<unknown>();
  for (const { definition } of flows) {
    next = changeSecrets(definition, next, (value) => {
      const isNone = value === null || isSealed(value) || isReference(value);
      if (isNone || done.has(value)) return value;
      const changed = change(value);
      done.add(changed);
      return changed;
    });
  }
  return next === parameters
    ? order
    : { ...order, details: { ...order.details, parameters: next } };
}

/** The owner that an operation's values are sealed for, until its tasks have them. */
function ownerOf(operationId: string): string {
  return `operation ${operationId}`;
}
