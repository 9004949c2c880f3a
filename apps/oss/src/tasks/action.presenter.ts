import {
  type Action,
  type CrashPolicy,
  type JsonObject,
  type PublicRetry,
  publicRetry,
  type StepPlan,
} from '#core';

/** One half of a step, as people wrote it; times in seconds. */
export interface PublicAction {
  readonly module: string;
  readonly command: string;
  readonly timeout: number;
  readonly attemptTimeout?: number;
  readonly retry: PublicRetry;
  readonly onCrash: CrashPolicy;
  readonly parameters?: JsonObject;
}

/** One half of a step as flow files write it. */
export function presentAction(action: Action): PublicAction {
  const { module, command, timeoutMs, attemptTimeoutMs, retry, onCrash, parameters } = action;
  return {
    module,
    command,
    timeout: timeoutMs / 1_000,
    ...(attemptTimeoutMs !== null && { attemptTimeout: attemptTimeoutMs / 1_000 }),
    retry: publicRetry(retry),
    onCrash,
    ...(parameters !== null && { parameters }),
  };
}

/** Names of the steps that a step waits for. */
export function namesOfNeeds(step: StepPlan, steps: readonly StepPlan[]): readonly string[] {
  return step.needs.map((index) => steps[index]?.name ?? '');
}
