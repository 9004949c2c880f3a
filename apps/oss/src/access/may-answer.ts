import { hasRightsOf, type Principal } from '#access';
import type { StepPlan, Task } from '#core';
import { heldAt } from '#core/children';
import { hasNamedOutput } from '#core/flow';
import { placeOf, placeOfStep, stepAt } from '#core/scopes';
import type { PersonsEvent } from '#engine';
import { forbidden, type InputFault, Problem } from '#http-server';
import { pointerPart } from '#json';
import type { FlowStore } from '#ports';
import { outputIn } from '../tasks/task-verbs.js';
import { answersIn, gatesIn, hasRoleAsked, isLeftOut } from './asked-people.js';

/** An action of a caller on a task. */
interface Answering {
  readonly principal: Principal;
  readonly task: Task;
  readonly event: PersonsEvent;
}

/**
 * Refuses an answer to an approval by a caller whom it does not ask, and the skip of one, or of a
 * step that holds one. Nobody writes the output of an approval: it says who agreed. Throws a
 * `Problem`, and `StoreUnavailable`.
 */
export async function expectMayAnswer(
  { event, principal, task }: Answering,
  flows: Pick<FlowStore, 'getFlow'>,
): Promise<void> {
  if (event.kind === 'judged') {
    const asked = approvalNamed(task, event.step);
    if (asked === undefined) return;
    const which = `may not answer step ${event.step}, which asks`;
    if (!hasRoleAsked(principal, asked)) {
      throw forbidden(principal, `${which} for ${asked.roles.join(' or ')}`);
    }
    if (!event.isApproved || !isLeftOut(asked, principal, task.plan)) return;
    throw forbidden(principal, `${which} somebody else than ${STARTER}`);
  }
  expectNoAnswers(task, event);
  if (event.kind !== 'skip_requested' || isUndo(task, event.step)) return;
  const place = placeNamed(task, event.step);
  if (place === null) return;
  const { approvals, isOpen } = await gatesIn(flows, heldAt(task, place));
  const which = `may not skip step ${event.step}: an approval there asks`;
  const other = approvals.find((asked) => !hasRoleAsked(principal, asked));
  if (other !== undefined) throw forbidden(principal, `${which} for ${other.roles.join(' or ')}`);
  if (approvals.some((asked) => isLeftOut(asked, principal, task.plan))) {
    throw forbidden(principal, `${which} somebody else than ${STARTER}`);
  }
  if (!isOpen || hasRightsOf(principal.role, 'author')) return;
  const open = `may not skip step ${event.step}, whose steps are known only at run time`;
  throw forbidden(principal, `${open}: this needs author`);
}

/**
 * Whether the skip of a step counts it as undone by hand, which passes no approval: it does once
 * its rollback has failed.
 */
export function isUndo(task: Task, step: string): boolean {
  const place = placeNamed(task, step);
  return place !== null && task.runs[place]?.rollback?.state === 'failed';
}

/** The one whom an approval with `notBy` leaves out. */
const STARTER = 'the person who started the task';

function approvalNamed(task: Task, step: string): StepPlan['approve'] {
  const place = placeNamed(task, step);
  return place === null ? undefined : stepAt(task, place)?.approve;
}

function placeNamed(task: Task, step: string): number | null {
  return placeOf(task, step) ?? placeOfStep(task, step);
}

/** Throws the `Problem` that an action brings values that would pass for an answer. */
function expectNoAnswers(task: Task, event: PersonsEvent): void {
  if ('parameters' in event && event.parameters !== undefined) {
    const { parameters } = event;
    expectNone(
      namedIn(task).filter((name) => Object.hasOwn(parameters, name)),
      '/parameters',
    );
  }
  const output = outputIn(event);
  if (output === null || !('step' in event)) return;
  const place = placeNamed(task, event.step);
  const step = place === null ? undefined : stepAt(task, place);
  if (step === undefined) return;
  refuseAnswers(answersIn(step, output, '/output'));
  if (!hasNamedOutput(step))
    expectNone(
      namedIn(task).filter((name) => Object.hasOwn(output, name)),
      '/output',
    );
}

/** The names of the approvals that the task has reached: under these steps see who agreed. */
function namedIn(task: Task): readonly string[] {
  return task.runs.flatMap((_runs, place) => {
    const step = stepAt(task, place);
    return step?.approve === undefined ? [] : [step.name];
  });
}

function expectNone(names: readonly string[], pointer: string): void {
  refuseAnswers(names.map((name) => `${pointer}${pointerPart(name)}`));
}

/** Throws the `Problem` that what stands at these pointers would pass for answers of people. */
export function refuseAnswers(pointers: readonly string[]): void {
  if (pointers.length === 0) return;
  const message = 'The output of an approval says who agreed, so nobody may write it.';
  const errors = pointers.map((pointer): InputFault => {
    return { pointer, message, hint: 'Leave it out.' };
  });
  throw new Problem('INVALID_PARAMETERS', message, { errors });
}
