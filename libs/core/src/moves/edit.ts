import type { Change } from '../change/change.js';
import type { JsonObject } from '../json/json.js';
import { mergedParameters } from '../values/parameters.js';
import { stepAt } from '../scopes/step-at.js';
import { wasReached } from '../scopes/reset-part.js';
import { actionId, runIdOf } from '../scopes/run-id.js';
import { contentSize, DEFAULT_LIMITS, sizeOfEdit } from '../task/task-size.js';
import type { Edit } from '../task/task.js';
import { illegal, type Refusal } from '../task/verdict.js';
import type { ActionRef } from '../task/action-ref.js';

/** Edits that a task keeps: each is read with every parameter, and they are never forgotten. */
const EDITS_MAX = 100;

/** A change of parameters that a person asks for. */
interface EditWish {
  readonly actor: string;
  readonly values: JsonObject;
  /** Places whose runs begin again with it; default: none. */
  readonly anew?: readonly number[];
  /** The actions that are tried again with it. */
  readonly again: readonly ActionAgain[];
}

/** An action that is tried again, and the id that it will have then. */
export interface ActionAgain {
  readonly ref: ActionRef;
  readonly id: string;
}

/** An action that is tried again in the run that it has. */
export function sameRun({ base }: Change, ref: ActionRef): ActionAgain {
  return { ref, id: actionId(ref.direction, runIdOf(base, ref.step)) };
}

/** The normal action at a place, in a run of the next generation. */
export function nextRun({ base }: Change, place: number): ActionAgain {
  const ref: ActionRef = { direction: 'normal', step: place };
  const runs = [...base.runs];
  const now = runs[place];
  if (now !== undefined) runs[place] = { ...now, generation: now.generation + 1 };
  return { ref, id: actionId('normal', runIdOf({ ...base, runs }, place)) };
}

/** Keeps a person's change of the task's parameters, for the runs that have not begun. */
export function addEdit(change: Change, wish: EditWish): void {
  change.requests.edits = [...change.requests.edits, editFor(change, wish)];
  change.index.contentBytes = null;
}

function editFor({ base, now }: Change, { actor, again, anew = [], values }: EditWish): Edit {
  const old = mergedParameters(base);
  const before = Object.entries(old).filter(([name]) => Object.hasOwn(values, name));
  const begun = base.runs.flatMap((runs, place) => {
    return wasReached(runs) && !anew.includes(place) ? [place] : [];
  });
  const unseenBy = begun.map((place) => runIdOf(base, place));
  const winsIn = again.map(({ id }) => id);
  return { at: now, actor, values, before: Object.fromEntries(before), unseenBy, winsIn };
}

/** Why the task cannot keep such an edit, or null. */
export function refuseEdit(change: Change, wish: EditWish): Refusal | null {
  const { base, moment } = change;
  if (base.edits.length >= EDITS_MAX) {
    return tooLarge(`the parameters of a task can be changed at most ${EDITS_MAX} times`);
  }
  const misled = refuseMisled(change, wish);
  if (misled !== null) return misled;
  const { contentBytes } = moment.limits ?? DEFAULT_LIMITS;
  const whole = contentSize(base) + sizeOfEdit(editFor(change, wish));
  if (whole <= contentBytes) return null;
  return tooLarge(
    `the task would hold ${whole} bytes of parameters and outputs, ` +
      `at most ${contentBytes} are allowed`,
  );
}

function tooLarge(message: string): Refusal {
  return { kind: 'refused', code: 'TOO_LARGE', message };
}

/**
 * Where a task has secrets, the flow alone says where an action sends them: why a person may not
 * put other values in the place of its constants, or null.
 */
function refuseMisled({ base }: Change, { again, values }: EditWish): Refusal | null {
  if (!base.hasSecrets) return null;
  for (const { ref } of again) {
    const step = stepAt(base, ref.step);
    const { direction } = ref;
    const constants = {
      ...step?.normal?.parameters,
      ...(direction === 'rollback' && step?.rollback?.parameters),
    };
    const name = Object.keys(values).find((key) => Object.hasOwn(constants, key));
    if (name === undefined) continue;
    const which = `${JSON.stringify(name)} of step ${step?.name ?? ''}`;
    return illegal(`the flow itself sets ${which}, and the task has secrets: it stays as it is`);
  }
  return null;
}
