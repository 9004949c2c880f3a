import { hasRightsOf, type Principal } from '#access';
import { type FlowDefinition, listNames, type OnlyStep } from '#core';
import { heldAsWritten } from '#core/children';
import { stepsUpTo } from '#core/flow';
import { pointerPart } from '#json';
import { forbidden, type InputFault, Problem } from '#http-server';
import type { FlowStore } from '#ports';
import { answersIn, gatesIn } from '../access/asked-people.js';
import { refuseAnswers } from '../access/may-answer.js';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { expectPlain } from './plain-values.js';

/** The members of a request that say which step runs by itself. */
type OnlyRequest = Pick<CreateTaskRequest, 'given' | 'only'>;

/** The one step that a request is about; undefined: all of the flow runs. */
export function onlyOf({ given = {}, only }: OnlyRequest): OnlyStep | undefined {
  return only === undefined ? undefined : { step: only, given };
}

/**
 * Throws the `Problem` that the flow has no such step to run by itself, or that something is given
 * for a step that does not come before it.
 */
export function expectOnly(
  definition: Pick<FlowDefinition, 'name' | 'steps'>,
  { given, only }: OnlyRequest,
): void {
  if (only === undefined) {
    if (given === undefined) return;
    const message = '`given` has outputs of steps before `only`, and needs `only`.';
    throw unfit([{ pointer: '/given', message, hint: 'Send `only`, or leave `given` out.' }]);
  }
  const steps = stepsUpTo(definition, only);
  if (steps === null) throw noSuchStep(definition, only);
  const before = steps.slice(0, -1).map(({ name }) => name);
  const errors = Object.keys(given ?? {}).flatMap((name) => faultsIn(name, { before, only }));
  if (errors.length > 0) throw unfit(errors);
  for (const step of steps) {
    const output = Object.hasOwn(given ?? {}, step.name) ? given?.[step.name] : undefined;
    if (output === undefined) continue;
    refuseAnswers(answersIn(step, output, `/given${pointerPart(step.name)}`));
  }
  if (given !== undefined) expectPlain(given, '/given');
}

/**
 * Throws the `Problem` that a caller may not run this step by itself: an operator may, but for a
 * step behind an approval, a point of no return, a wait for a signal, or steps that are known only
 * at run time. An author may pass these, because an author writes flows without them.
 */
export async function expectMayRunAlone(
  flows: Pick<FlowStore, 'getFlow'>,
  { definition, only }: { readonly definition: FlowDefinition; readonly only: string },
  principal: Principal,
): Promise<void> {
  const { role } = principal;
  if (hasRightsOf(role, 'author')) return;
  const why = `has the role ${role}, and to run one step by itself needs`;
  if (!hasRightsOf(role, 'operator')) throw forbidden(principal, `${why} operator`);
  const before = stepsUpTo(definition, only)?.slice(0, -1) ?? [];
  const { approvals, hasOthers, isOpen } = await gatesIn(flows, heldAsWritten(before));
  if (approvals.length === 0 && !hasOthers && !isOpen) return;
  const behind =
    'author, because an approval, a point of no return, a wait for a signal or steps that are ' +
    `known only at run time lie before ${only}`;
  throw forbidden(principal, `${why} ${behind}`);
}

/** A step that runs by itself, and the names of the steps before it. */
interface Alone {
  readonly before: readonly string[];
  readonly only: string;
}

function faultsIn(name: string, { before, only }: Alone): readonly InputFault[] {
  if (before.includes(name)) return [];
  const message = `${name} is not a step before ${only}.`;
  const hint =
    before.length === 0 ? 'No step is before it.' : `Steps before it: ${listNames(before)}.`;
  return [{ pointer: `/given${pointerPart(name)}`, message, hint }];
}

function noSuchStep({ name, steps }: Pick<FlowDefinition, 'name' | 'steps'>, only: string) {
  const message = `Flow ${name} has no step ${only} of its own.`;
  const hint = `Its steps: ${listNames(steps.map((step) => step.name))}.`;
  return unfit([{ pointer: '/only', message, hint }]);
}

function unfit(errors: readonly InputFault[]): Problem {
  return new Problem('INVALID_PARAMETERS', errors[0]?.message ?? '', { errors });
}
