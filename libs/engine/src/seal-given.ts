import type { OnlyStep, StepPlan, TaskRequest } from '#core';
import { sealOwner } from '#core/secrets';
import type { Secrets } from '#ports';
import type { ExecutorDirectory } from './executor-directory.js';
import { sealAnew, sealMembers } from './seal-values.js';

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

/**
 * The request with the secrets sealed among the outputs that are given for steps before the only
 * one: those members that the command of such a step gives as secrets. Values that were sealed for
 * another owner are sealed anew. Throws `NoSecretKey`, `CannotOpenSecret` and `StoreUnavailable`.
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
