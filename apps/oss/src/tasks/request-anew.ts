import { isFinal, type JsonObject, statusName, type Task, type TaskStatus } from '#core';
import type { StartLimits } from '#core/flow';
import { sealOwner } from '#core/secrets';
import { Problem } from '#http-server';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { type HandedSecrets, sealedPointers, workOf } from './handed-secrets.js';

/** The parts of a request that come from the task that it starts again. */
interface TakenOver {
  readonly restartOf: string;
  readonly limits?: StartLimits;
  readonly handed?: HandedSecrets;
}

/**
 * The parts of a request to restart a task that come from it, besides its parameters: the limits of
 * those who started it, and the secrets that the request hands on.
 */
export function takenOver({ hasSecrets, plan }: Task, request: CreateTaskRequest): TakenOver {
  const { createdAt, limits: { secretsUntil = createdAt, ...limits } = {}, taskId } = plan;
  const pointers = [
    ...sealedPointers(request.parameters, '/parameters'),
    ...sealedPointers(request.given, '/given'),
  ];
  const seals = { sealedFor: sealOwner(plan), givenTo: workOf(plan), givenAt: secretsUntil };
  return {
    restartOf: taskId,
    ...(limits.starters !== undefined && { limits }),
    ...(hasSecrets && { handed: { ...seals, pointers } }),
  };
}

/** Throws the `Problem` that a task is not to be restarted. */
export function expectRestartable({ plan, status }: Task): void {
  if (!isFinal(status)) throw notEnded(status);
  if (plan.parent?.isPart === true) throw isPart();
}

/**
 * The request for a task of the same flow, parameters and step by itself as one that has ended,
 * with those parameters merged in.
 */
export function requestAnew({ plan }: Task, parameters: JsonObject | undefined): CreateTaskRequest {
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

function isPart(): Problem {
  const message = 'This task is a part of its parent: restart the parent.';
  return new Problem('ILLEGAL_ACTION', message);
}
