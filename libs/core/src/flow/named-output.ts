import type { Action } from './action.js';
import type { StepPlan } from './flow.js';
import { declarationOf } from './step-kind.js';

/** Whether an action sends a request over HTTP. */
export function isHttpRequest({ command, module }: Pick<Action, 'command' | 'module'>): boolean {
  return module === 'http' && command === 'request';
}

/**
 * Whether the output of a step is one parameter, of the step's name. The members of any other
 * output are parameters themselves: that of a command or a `set`. The answer to a request is not
 * among these, because `headers` and `body` are parameters of the next request as well.
 */
export function hasNamedOutput(step: StepPlan): boolean {
  if (step.normal !== undefined) return isHttpRequest(step.normal);
  return declarationOf(step).output !== 'merged';
}
