import { hasRightsOf, isSamePerson, type Principal } from '#access';
import type { JsonObject, StepPlan, TaskPlan, TaskStarter } from '#core';
import { isObject } from '#core/json';
import { heldAsWritten, type HeldSteps } from '#core/children';
import { pointerPart } from '#json';
import { type FlowStore, type Role, ROLES } from '#ports';

/** The people whom an approval asks. */
type Asked = Pick<NonNullable<StepPlan['approve']>, 'notBy' | 'roles'>;

/** The points in some steps, and in their child tasks, that nobody passes without the right to. */
interface Gates {
  readonly approvals: readonly Asked[];
  /** A point of no return, or a wait for a signal, is among them. */
  readonly hasOthers: boolean;
  /** Some steps are known only once they are reached, and may ask anybody. */
  readonly isOpen: boolean;
}

/**
 * The gates in these steps and, at any depth, in the flows that their child tasks run: in the
 * version that they name, else in the newest. Throws `StoreUnavailable`.
 */
export async function gatesIn(flows: Pick<FlowStore, 'getFlow'>, held: HeldSteps): Promise<Gates> {
  const lists = [held];
  const seen = new Set<string>();
  for (const { flows: called } of lists) {
    for (const { name, version } of called) {
      const key = `${version ?? ''} ${name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const flow = await flows.getFlow(name, version ?? undefined);
      if (flow !== null) lists.push(heldAsWritten(flow.definition.steps));
    }
  }
  const steps = lists.flatMap((list) => list.steps);
  return {
    approvals: steps.flatMap(({ approve }) => (approve === undefined ? [] : [approve])),
    hasOthers: steps.some(({ pivot, wait }) => pivot === true || isSignal(wait)),
    isOpen: lists.some(({ isOpen }) => isOpen),
  };
}

function isSignal(wait: StepPlan['wait']): boolean {
  return wait !== undefined && 'signal' in wait;
}

/** The person who started a task, as the task keeps it; undefined: nobody showed a credential. */
export function starterOf({ keyId, madeBy, name }: Principal): TaskStarter | undefined {
  if (keyId === null) return undefined;
  return { name, keyId, ...(madeBy !== undefined && { madeBy }) };
}

/** Whether an approval leaves a caller out, as the person who started the task. */
export function isLeftOut(
  { notBy }: Asked,
  principal: Principal,
  { starter }: Pick<TaskPlan, 'starter'>,
): boolean {
  return notBy === 'starter' && starter !== undefined && isSamePerson(principal, starter);
}

/**
 * Whether a caller has one of the roles that an approval asks for. Names that are no roles of
 * Backstep are nobody's: an admin alone answers then.
 */
export function hasRoleAsked({ role }: Principal, { roles }: Asked): boolean {
  if (roles.length === 0 || role === 'admin') return true;
  return ROLES.some((known: Role) => roles.includes(known) && hasRightsOf(role, known));
}

/**
 * Pointers to what an output says of approvals: all of it where the step is one, and the parts of
 * the approvals that it holds. Nobody but who was asked says how an approval ended.
 */
export function answersIn(step: StepPlan, output: JsonObject, pointer: string): readonly string[] {
  if (step.approve !== undefined) return [pointer];
  if (step.parallel !== undefined) {
    return step.parallel.flatMap(({ name, steps }) => {
      return isObject(output[name]) ? inList(steps, output[name], at(pointer, name)) : [];
    });
  }
  const lists = [step.group, step.otherwise, step.loop?.steps, ...casesOf(step)];
  return lists.flatMap((list) => inList(list ?? [], output, pointer));
}

function casesOf({ catch: caught = [], choice = [] }: StepPlan): readonly (readonly StepPlan[])[] {
  return [...choice, ...caught].map(({ steps }) => steps);
}

/** Outputs of some steps, each under the name of its step. */
function inList(
  steps: readonly StepPlan[],
  outputs: JsonObject,
  pointer: string,
): readonly string[] {
  return steps.flatMap((step) => {
    const output = outputs[step.name];
    return isObject(output) ? answersIn(step, output, at(pointer, step.name)) : [];
  });
}

function at(pointer: string, name: string): string {
  return `${pointer}${pointerPart(name)}`;
}
