import type { Action } from '../flow/action.js';
import type { Change } from '../change/change.js';
import type { ActionRef } from '../task/event.js';
import { askedOf, type QuestionMember } from '../task/question.js';

/** The members whose values must be known before an action is called. */
export function actionAsks({ parameters }: Action): readonly QuestionMember[] {
  return parameters === null ? NONE : [{ name: 'parameters', template: parameters, as: 'object' }];
}

const NONE: readonly QuestionMember[] = Object.freeze([]);

// Actions are immutable and shared by all tasks of a flow version.
const known = new WeakMap<Action, boolean>();

/** Whether constants of an action are expressions. */
export function isTemplate(action: Action): boolean {
  if (action.parameters === null) return false;
  let isOne = known.get(action);
  if (isOne === undefined) {
    isOne = askedOf(actionAsks(action)).members !== null;
    known.set(action, isOne);
  }
  return isOne;
}

/** Queues an action; one whose constants are to be worked out is asked about before. */
export function queueAction(change: Change, ref: ActionRef): void {
  const run = change.run(ref);
  if (run === null) return;
  if (run.values === null && isTemplate(change.action(ref))) change.ask(ref, run);
  else change.queue(ref, run, change.orderNow);
}
