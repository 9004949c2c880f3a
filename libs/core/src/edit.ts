import type { Change } from './change.js';
import type { JsonObject } from './json.js';
import { mergedParameters } from './parameters.js';
import { wasReached } from './reset-part.js';
import { runIdOf } from './run-id.js';
import { contentSize, DEFAULT_LIMITS, sizeOfEdit } from './task-size.js';
import type { Edit } from './task.js';
import type { Refusal } from './verdict.js';

/** Edits that a task keeps: each is read with every parameter, and they are never forgotten. */
const EDITS_MAX = 100;

/** A change of parameters that a person asks for. */
interface EditWish {
  readonly actor: string;
  readonly values: JsonObject;
  /** Places whose runs begin anew with it; default: none. */
  readonly anew?: readonly number[];
}

/** Keeps a person's change of the task's parameters, for the runs that have not begun. */
export function addEdit(change: Change, wish: EditWish): void {
  change.edits = [...change.edits, editFor(change, wish)];
  change.tally.contentBytes = null;
}

function editFor({ base, now }: Change, { actor, anew = [], values }: EditWish): Edit {
  const old = mergedParameters(base);
  const before = Object.entries(old).filter(([name]) => Object.hasOwn(values, name));
  const begun = base.runs.flatMap((runs, place) => {
    return wasReached(runs) && !anew.includes(place) ? [place] : [];
  });
  const unseenBy = begun.map((place) => runIdOf(base, place));
  return { at: now, actor, values, before: Object.fromEntries(before), unseenBy };
}

/** Why the task cannot keep such an edit, or null. */
export function refuseEdit(change: Change, wish: EditWish): Refusal | null {
  const { base, moment } = change;
  if (base.edits.length >= EDITS_MAX) {
    return tooLarge(`the parameters of a task can be changed at most ${EDITS_MAX} times`);
  }
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
