import type { JsonObject } from '../api/shapes.js';
import { WORDS } from '../words.js';

/** Actions on many tasks: the name in the HTTP API and the text of the button. */
export const ACTIONS = [
  ['retry', WORDS.actions.retry],
  ['rollback', WORDS.actions.rollback],
  ['terminate', WORDS.actions.terminate],
  ['pause', WORDS.actions.pause],
  ['resume', WORDS.actions.resume],
  ['skip', WORDS.actions.skip],
  ['reset', WORDS.actions.reset],
  ['undo', WORDS.actions.undo],
  ['restart', WORDS.actions.restart],
] as const;

/** The member by which an action names a step. */
const STEP_MEMBERS: Readonly<Record<string, string>> = {
  skip: 'step',
  reset: 'to',
  rollback: 'to',
};

/** The fields of the form as a person has filled them in. */
export interface OperationForm {
  readonly action: string;
  readonly reason: string;
  /** Empty: none. */
  readonly step: string;
}

/** Whether the action is told a step. */
export function takesStep(action: string): boolean {
  return action in STEP_MEMBERS;
}

/** Whether it is nothing without one. */
export function needsStep(action: string): boolean {
  return action === 'skip' || action === 'reset';
}

/** The text of the button of an action; its name where there is none. */
export function wordsOf(action: string): string {
  return ACTIONS.find(([name]) => name === action)?.[1] ?? action;
}

/** The body of the request, without whether it is a dry run. */
export function bodyOf({ action, reason, step }: OperationForm, q: string): JsonObject {
  const member = STEP_MEMBERS[action];
  return {
    action,
    q,
    reason,
    ...(member !== undefined && step.trim() !== '' && { [member]: step.trim() }),
  };
}

/** The request for one task, whatever its revision is by now. */
export function deedOf(form: OperationForm) {
  const { action: verb, q: _, ...body } = bodyOf(form, '');
  return { verb: verb as string, body, revision: null };
}
