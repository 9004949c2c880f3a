import type { Change } from '../change/change.js';
import type { StepPlan } from '../flow/flow.js';
import { graphOf } from '../flow/program.js';
import { pivotsOfTask } from '../scopes/pivot.js';
import { outermostPlace } from '../scopes/step-at.js';
import { partFrom, wasReached } from '../scopes/reset-part.js';
import { placeOf, runIdOf } from '../scopes/run-id.js';
import { illegal, listNames, type Refusal } from '../task/verdict.js';
import { failedSteps } from '../scopes/failed-steps.js';

/** A step down to which a person wants the task to go back. */
interface StepBack {
  /** As the person wrote it. */
  readonly name: string;
  /** Its place; -1: none of the task's own steps has this name. */
  readonly to: number;
  /** The action, for people. */
  readonly verb: string;
  /** The action takes no step: it goes back all the way or not at all. Default: false. */
  readonly isWhole?: boolean;
}

/** Why a task cannot go back to a step and then forward again; null: it can. */
export function refuseStepBack(change: Change, { name, to, verb }: StepBack): Refusal | null {
  // Of a task that never started, a step that holds steps may have been entered all the same.
  if (change.startedAt !== null && wasReached(change.runs[to])) {
    return refuseOthers(change, to, verb);
  }
  if (to >= 0) {
    return illegal(`${verb} needs a step that was reached; ${name} was not`);
  }
  const inner = placeOf(change, name);
  if (inner !== null) {
    const around = change.plan.steps[outermostPlace(change, inner)]?.name ?? '';
    return illegal(`${verb} needs a step of the task itself; ${name} is inside ${around}`);
  }
  const names = listNames(change.plan.steps.map((step) => step.name));
  const message = `there is no step ${name}; the steps are ${names}`;
  return { kind: 'refused', code: 'NO_SUCH_STEP', message };
}

/**
 * Why a task cannot go back down to a step, or with -1 all the way: a point of no return was passed
 * at or after it. The refusal names the step down to which the task can go, if there is one. Null:
 * it can.
 */
export function refusePastPivot(
  change: Change,
  { to, verb, isWhole = false }: Pick<StepBack, 'to' | 'verb' | 'isWhole'>,
): Refusal | null {
  const part = to < 0 ? null : partFrom(change.plan.steps, to);
  const pivot = pivotsOfTask(change).find((place) => part === null || part[place] === 1);
  if (pivot === undefined) return null;
  const { name } = change.plan.steps[pivot] ?? { name: '' };
  const refused = `${verb} would go back past step ${name}, which is a point of no return`;
  const possible = change.plan.steps[furthestBack(change) ?? -1]?.name;
  if (isWhole || possible === undefined) return illegal(refused);
  return { ...illegal(`${refused}: go back to step ${possible} instead`), to: possible };
}

/** The first step down to which a task can go behind its points of no return; null: none. */
function furthestBack(change: Change): number | null {
  const { steps } = change.plan;
  const isBefore = neededBy(steps, pivotsOfTask(change));
  // Steps outside the part that goes back may neither have failed nor be undone.
  const { to: undone = null } = change.turned ?? {};
  const owed = undone === null ? failedSteps(change) : [...failedSteps(change), undone];
  const mayLead = owed.map((place) => neededBy(steps, [place]));
  const found = graphOf(steps).order.find((place) => {
    if (isBefore[place] === 1 || !wasReached(change.runs[place])) return false;
    return mayLead.every((isNeeded) => isNeeded[place] === 1);
  });
  return found ?? null;
}

/** For each of these steps 1 where it is one of the places, or one of them needs it, else 0. */
function neededBy(steps: readonly StepPlan[], places: readonly number[]): Uint8Array {
  const isNeeded = new Uint8Array(steps.length);
  for (const place of places) isNeeded[place] = 1;
  for (const step of graphOf(steps).order.toReversed()) {
    if (isNeeded[step] !== 1) continue;
    for (const need of steps[step]?.needs ?? []) isNeeded[need] = 1;
  }
  return isNeeded;
}

/**
 * Refuses a part that leaves out a failed or undone step. A failed step beside the part would get a
 * new run without having been undone; a step that went back before would stay undone.
 */
function refuseOthers(change: Change, to: number, verb: string): Refusal | null {
  const part = partFrom(change.plan.steps, to);
  const undone = change.turned?.to ?? null;
  if (undone !== null && part[undone] !== 1) {
    const { name } = change.plan.steps[undone] ?? { name: '' };
    return illegal(`${verb} would leave step ${name} rolled back: retry first, or go back further`);
  }
  const other = failedSteps(change).find((place) => part[outermostPlace(change, place)] !== 1);
  if (other === undefined) return null;
  const failed = runIdOf(change, other);
  return illegal(`${verb} would leave the failed step ${failed} as it is: retry or skip it first`);
}
