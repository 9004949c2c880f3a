import { isFinal, type JsonObject, sealOwner, statusName, type Task, type TaskStatus } from '#core';
import { Problem } from '#http-server';
import type { CreateTaskRequest } from '../requests/create-task.request.js';

/** The owner of sealed values among the parameters of a restart; absent: there are none. */
interface SealedOrigin {
  readonly sealedFor?: string;
}

/** The owner of the sealed values of a task, for a request made of its parameters. */
export function sealsOf({ hasSecrets, plan }: Task): SealedOrigin {
  return hasSecrets ? { sealedFor: sealOwner(plan) } : {};
}

/**
 * The request for a task of the same flow, parameters and step by itself as one that has ended,
 * with those parameters merged in. Throws the `Problem` that this one is not to be restarted.
 */
export function requestAnew(
  { plan, status }: Task,
  parameters: JsonObject | undefined,
): CreateTaskRequest {
  if (!isFinal(status)) throw notEnded(status);
  if (plan.parent?.isPart === true) throw isPart(plan.parent.taskId);
  return {
    flow: plan.flow,
    parameters: { ...plan.parameters, ...parameters },
    labels: plan.labels,
    priority: plan.priority,
    ...(plan.only !== undefined && { only: plan.only.step, given: plan.only.given }),
  };
}

function notEnded(status: TaskStatus): Problem {
  const message = `Restart is legal once a task has ended; this one is ${statusName(status)}.`;
  return new Problem('ILLEGAL_ACTION', message);
}

function isPart(parent: string): Problem {
  const message = `This task is a part of task ${parent}: restart that one.`;
  return new Problem('ILLEGAL_ACTION', message);
}
