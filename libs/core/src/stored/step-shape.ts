import type { Action, RetryPolicy } from '../flow/action.js';
import { KIND_NAMES, type KindName, KINDS, type Member } from '#kinds';
import type { StepOf, StepPlan } from '../flow/flow.js';
import { innerLists } from '../flow/plan-lists.js';
import { planName } from '../task/plan-values.js';
import { kindOf } from '../flow/step-kind.js';
import {
  COUNT,
  faultIn,
  FINITE,
  ANYTHING,
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
} from '../json/shape.js';
import { FlowProgram } from '../flow/program.js';

/** A value, or no such member at all. */
function orAbsent({ holds, means }: Rule): Rule {
  return { holds: (value) => value === undefined || holds(value), means: `${means} or absent` };
}

/** Ids of runs are made of names, so these marks are not part of any. */
const STEP_NAME: Rule = {
  holds: (value) => typeof value === 'string' && !/[~#/]/.test(value),
  means: 'a text without ~, # and /',
};

const OBJECTS: Rule = {
  holds: (value) => Array.isArray(value) && value.every(isObject),
  means: 'a list of objects',
};

/** The rules for the members that every step has, and for those that make a step of a kind. */
function stepRules(kind: KindName): Rules {
  const own = Object.entries<Member>(KINDS[kind].members).map(([name, member]) => {
    return [planName(name, member), ruleOf(member)] as const;
  });
  return rulesOf<Record<string, unknown>>({
    name: STEP_NAME,
    needs: LIST,
    if: ANYTHING,
    optional: orAbsent(FLAG),
    catch: orAbsent(OBJECTS),
    pivot: orAbsent(FLAG),
    locks: orAbsent(OBJECTS),
    ...Object.fromEntries(own),
  });
}

function ruleOf(member: Member): Rule {
  const rule = ruleOfWritten(member);
  if (member.optional === 'absent') return orAbsent(rule);
  return member.optional === 'null' || member.default === null ? orNull(rule) : rule;
}

function ruleOfWritten(member: Member): Rule {
  switch (member.type) {
    case 'steps':
      return LIST;
    case 'branches':
      return OBJECTS;
    case 'object of':
      return member.entry === undefined ? OBJECT : OBJECTS;
    case 'duration':
      return MOMENT;
    case 'whole':
      return FINITE;
    case 'words':
      return oneOf(member.words, `one of ${member.words.join(', ')}`);
    default:
      return OBJECT;
  }
}

const RULES = Object.fromEntries(KIND_NAMES.map((kind) => [kind, stepRules(kind)])) as Readonly<
  Record<KindName, Rules>
>;

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

const RETRY = rulesOf<Required<RetryPolicy>>({
  attempts: NUMBERED,
  backoff: oneOf(['none', 'fixed', 'exponential'], 'a kind of backoff'),
  delayMs: FINITE,
  maxDelayMs: orNull(FINITE),
  jitter: FLAG,
  only: orAbsent(LIST),
  never: orAbsent(LIST),
});

/** Why a list cannot be steps of a task; null: it can. */
export function stepsFault(steps: readonly StepPlan[], where = 'plan.steps'): string | null {
  const fault = FlowProgram.of(steps).kept(faultOfSteps);
  return fault === null ? null : `${where}${fault}`;
}

function faultOfSteps(steps: readonly StepPlan[]): string | null {
  return listOfStepsFault(steps, '');
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
  const kind = KIND_NAMES.find((name) => isObject(step) && step[name] !== undefined);
  const rules = RULES[kind ?? 'normal'];
  const fault = unknownIn(rules, step, where) ?? faultIn(rules, step, where);
  if (fault !== null) return fault;
  if (!step.needs.every((need) => Number.isInteger(need) && need >= 0 && need < count)) {
    return `${where}needs names a step that is not there`;
  }
  return actionsFault(step, where) ?? listsFault(step, where);
}

function actionsFault(step: StepPlan, where: string): string | null {
  if (step.group !== undefined) return triesFault(step.retry, `${where}retry.`);
  const { normal, rollback } = step;
  const own = normal === undefined ? null : actionFault(normal, `${where}normal.`);
  return own ?? (rollback ? actionFault(rollback, `${where}rollback.`) : null);
}

function triesFault(retry: StepOf<'group'>['retry'], where: string): string | null {
  return 'forEach' in retry ? null : faultIn(RETRY, retry, where);
}

function listsFault(step: StepPlan, where: string): string | null {
  const kind = kindOf(step);
  for (const steps of innerLists(step)) {
    const fault = Array.isArray(steps)
      ? listOfStepsFault(steps, `${where}${kind}`)
      : `${where}${kind} holds no list of steps`;
    if (fault !== null) return fault;
  }
  return null;
}

function actionFault(action: Action, where: string): string | null {
  return (
    unknownIn(ACTION, action, where) ??
    faultIn(ACTION, action, where) ??
    faultIn(RETRY, action.retry, `${where}retry.`)
  );
}
