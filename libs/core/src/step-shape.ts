import type { Action, CommandStep, GroupStep, RetryPolicy, StepPlan } from './flow.js';
import {
  COUNT,
  faultIn,
  FINITE,
  FLAG,
  isObject,
  LIST,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orNull,
  type Rule,
  type Rules,
  rulesOf,
  TEXT,
  unknownIn,
} from './shape.js';

/** A member that only another kind of step has. */
const ABSENT: Rule = { holds: (value) => value === undefined, means: 'absent' };

/** Ids of runs are made of names, so these marks are not part of any. */
const STEP_NAME: Rule = {
  holds: (value) => typeof value === 'string' && !/[~#/]/.test(value),
  means: 'a text without ~, # and /',
};

const COMMAND = rulesOf<CommandStep>({
  name: STEP_NAME,
  needs: LIST,
  normal: OBJECT,
  rollback: orNull(OBJECT),
  group: ABSENT,
});

const GROUP = rulesOf<GroupStep>({
  name: STEP_NAME,
  needs: LIST,
  group: LIST,
  retry: OBJECT,
  timeoutMs: orNull(MOMENT),
  normal: ABSENT,
  rollback: ABSENT,
});

const CRASH_POLICY: Rule = {
  holds: (value) => value === 'fail' || (isObject(value) && COUNT.holds(value['restarts'])),
  means: 'a policy for crashes',
};

const ACTION = rulesOf<Action>({
  module: TEXT,
  command: TEXT,
  timeoutMs: FINITE,
  attemptTimeoutMs: orNull(FINITE),
  retry: OBJECT,
  onCrash: CRASH_POLICY,
  parameters: orNull(OBJECT),
});

const RETRY = rulesOf<RetryPolicy>({
  attempts: NUMBERED,
  backoff: oneOf(['none', 'fixed', 'exponential'], 'a kind of backoff'),
  delayMs: FINITE,
  maxDelayMs: orNull(FINITE),
  jitter: FLAG,
});

// The steps of a flow version are one object for all of its tasks.
const checkedSteps = new WeakMap<readonly StepPlan[], { readonly fault: string | null }>();

/** Why a list cannot be the steps of a task; null: it can. */
export function stepsFault(steps: readonly StepPlan[]): string | null {
  const known = checkedSteps.get(steps);
  if (known !== undefined) return known.fault;
  const fault = listOfStepsFault(steps, 'plan.steps');
  checkedSteps.set(steps, { fault });
  return fault;
}

function listOfStepsFault(steps: readonly StepPlan[], where: string): string | null {
  if (steps.length === 0) return `${where} has no step`;
  for (const [n, step] of steps.entries()) {
    const fault = stepFault(step, steps.length, `${where}[${n}].`);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * A step that says more than this build knows was written by a newer one. Passing over what it says
 * could take it for done, or run what must not run, so its task waits for a build that knows it.
 */
function stepFault(step: StepPlan, count: number, where: string): string | null {
  const isGroup = isObject(step) && step.group !== undefined;
  const rules: Rules = isGroup ? GROUP : COMMAND;
  const fault = unknownIn(rules, step, where) ?? faultIn(rules, step, where);
  if (fault !== null) return fault;
  if (!step.needs.every((need) => Number.isInteger(need) && need >= 0 && need < count)) {
    return `${where}needs names a step that is not there`;
  }
  if (step.group !== undefined) {
    const policy = faultIn(RETRY, step.retry, `${where}retry.`);
    return policy ?? listOfStepsFault(step.group, `${where}group`);
  }
  const { normal, rollback } = step;
  const own = actionFault(normal, `${where}normal.`);
  return own ?? (rollback === null ? null : actionFault(rollback, `${where}rollback.`));
}

function actionFault(action: Action, where: string): string | null {
  return (
    unknownIn(ACTION, action, where) ??
    faultIn(ACTION, action, where) ??
    faultIn(RETRY, action.retry, `${where}retry.`)
  );
}
