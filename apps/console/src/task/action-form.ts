import { longNumberIn } from '../api/long-number.js';
import type { JsonObject, Step, Task } from '../api/shapes.js';
import { WORDS } from '../words.js';
import type { TaskAction } from './actions.js';
import { addressOf, allSteps } from './steps.js';

/** The fields of the dialog of an action as a person has filled them in. */
export interface ActionForm {
  readonly reason: string;
  readonly step: string;
  /** An object as JSON, or nothing. */
  readonly extra: string;
  /** The child tasks that are begun again; null: there are none to choose from. */
  readonly children: ChildrenWish | null;
}

/** Child tasks of a step: those that failed, while the others stay, or all of them. */
type ChildrenWish = 'failed' | 'all';

/** The fields that the effect of an action follows from. */
export type PreviewedForm = Pick<ActionForm, 'step' | 'children'>;

/**
 * The form as the dialog opens: about the step that was picked, where it can be. A reset without
 * one is the smallest: to the step that began last.
 */
export function openForm(action: TaskAction, task: Task, picked: string | null): ActionForm {
  const choices = stepChoices(action, task);
  const { stepMember } = action;
  const isOptional = stepMember === undefined || stepMember.isOptional?.(task) === true;
  const first = choices.at(action.verb === 'reset' ? -1 : 0);
  const wanted = choices.find(({ id }) => id === picked) ?? (isOptional ? undefined : first);
  const step = wanted?.address ?? '';
  return { reason: '', step, extra: '', children: childrenAt(action, task, step) };
}

/** The child tasks that the action begins again, unless a person wants others; null: no choice. */
export function childrenAt({ verb }: TaskAction, task: Task, step: string): ChildrenWish | null {
  const { status, steps } = task;
  const mayKeep =
    verb === 'retry'
      ? status === 'on_hold' && allSteps(steps).some((placed) => hasKept(placed.step))
      : verb === 'reset' && steps.some((own) => own.name === step && hasLeft(own));
  return mayKeep ? 'failed' : null;
}

/** Whether child tasks of a failed step that succeeded still stand: a retry may keep them. */
function hasKept({ children, state }: Step): boolean {
  return state === 'failed' && children !== undefined && children.succeeded > 0;
}

/** Whether a list has ended and some items failed: a reset may begin these alone. */
function hasLeft({ children, kind, rollback, state }: Step): boolean {
  const hasEnded = state === 'succeeded' || state === 'failed';
  const isUndone = (rollback?.state ?? 'none') !== 'none';
  const isList = kind === 'foreach' && children !== undefined;
  return isList && hasEnded && !isUndone && children.failed > 0;
}

/** A step that an action can be about. */
interface StepChoice {
  readonly id: string;
  readonly address: string;
}

/** The steps that the action can be about now. */
export function stepChoices(action: TaskAction, task: Task): readonly StepChoice[] {
  const steps = action.steps?.(task) ?? [];
  return steps.map((placed) => ({ id: placed.step.id, address: addressOf(placed) }));
}

/** The body of the request; null: the extra text is no JSON object. */
export function bodyOf(action: TaskAction, form: ActionForm): JsonObject | null {
  const { extra: member, reasonMember = 'reason', stepMember } = action;
  const body: Record<string, JsonObject[string]> = { [reasonMember]: form.reason.trim() };
  if (stepMember !== undefined && form.step !== '') body[stepMember.name] = form.step;
  if (form.children !== null) body['children'] = form.children;
  if (member === undefined || form.extra.trim() === '') return body;
  const extra = readObject(form.extra);
  if (extra === null) return null;
  return { ...body, [member]: extra };
}

/** Why a text is not taken as a JSON object: `broken` where it is none. */
export function objectFault(text: string, broken: string = WORDS.dialog.notJson): string {
  const long = longNumberIn(text);
  return long === null ? broken : WORDS.dialog.longNumber(long);
}

/** The JSON object that a person typed, none as an empty one; a text instead says what is wrong. */
export function objectOrFault(text: string, broken: string): JsonObject | string {
  if (text.trim() === '') return {};
  return readObject(text) ?? objectFault(text, broken);
}

/** A JSON object; null: the text is something else, or has a number that would not be kept. */
export function readObject(text: string): JsonObject | null {
  if (longNumberIn(text) !== null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
