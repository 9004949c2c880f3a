import type { HttpApi } from '../../../../schemas/http-api.js';
import type { Operation } from '../api/shapes.js';
import { ACTIONS as ON_ONE, type TaskAction } from '../task/actions.js';
import { WORDS } from '../words.js';

/**
 * The action of an operation, as the HTTP API has it. Only the command line deletes tasks: no click
 * makes them come back.
 */
type OperationAction = Exclude<HttpApi['StartOperation']['action'], 'delete'>;

const { actions } = WORDS;

/** Actions on many tasks, in the order of the form, with the texts of their buttons. */
const ON_MANY: Readonly<Record<OperationAction, string | null>> = {
  retry: actions.retry,
  rollback: actions.rollback,
  terminate: actions.terminate,
  pause: actions.pause,
  resume: actions.resume,
  skip: actions.skip,
  reset: actions.reset,
  undo: actions.undo,
  restart: actions.restart,
  // One run of one task: nobody says how many ended at once.
  complete: null,
};

/** The same without those that the form does not offer. */
export const ACTIONS = Object.entries(ON_MANY).filter(([, words]) => words !== null);

/** The fields of the form as a person has filled them in. */
export interface OperationForm {
  readonly action: OperationAction;
  readonly reason: string;
  /** Empty: none. */
  readonly step: string;
}

/** A form as it was tried, and what came of that. */
export interface Rehearsal {
  readonly form: OperationForm;
  readonly operation: Operation;
}

/** The dry run of a form; null: none of it as it is now, which may have changed meanwhile. */
export function triedOf(rehearsal: Rehearsal | null, form: OperationForm): Operation | null {
  return rehearsal?.form === form ? rehearsal.operation : null;
}

function stepMemberOf(action: string): TaskAction['stepMember'] {
  return ON_ONE.find(({ verb }) => verb === action)?.stepMember;
}

/** Whether the action is told a step. */
export function takesStep(action: string): boolean {
  return stepMemberOf(action) !== undefined;
}

/** Whether it is nothing without one. */
export function needsStep(action: string): boolean {
  const member = stepMemberOf(action);
  return member !== undefined && member.isOptional === undefined;
}

/** The text of the button of an action; its name where there is none. */
export function wordsOf(action: string): string {
  return ACTIONS.find(([name]) => name === action)?.[1] ?? action;
}

/** The body of the request, without whether it is a dry run. */
export function bodyOf({ action, reason, step }: OperationForm, q: string) {
  const member = stepMemberOf(action);
  const place = member !== undefined && step.trim() !== '' && { [member.name]: step.trim() };
  return { action, q, reason, ...place } as HttpApi['StartOperation'];
}

/** The request for one task, whatever its revision is by now. */
export function deedOf(form: OperationForm) {
  const { action: _action, q: _q, ...body } = bodyOf(form, '');
  return { verb: form.action, body, revision: null };
}
