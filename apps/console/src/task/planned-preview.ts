import type { PlannedPlace, RollbackPlan } from '../api/plan-shapes.js';
import type { Task } from '../api/shapes.js';
import type { Verb } from './actions.js';
import { calledOff, type Preview } from './preview.js';

/** Actions of which the server plans what they undo. */
const PLANNED: ReadonlySet<Verb> = new Set(['rollback', 'undo']);

/** Whether the server plans what the action undoes. */
export function asksForPlan(verb: Verb): boolean {
  return PLANNED.has(verb);
}

/**
 * The preview of a rollback or an undo as the server plans it, child tasks included; null: the plan
 * is not one down to the step that was picked.
 */
export function plannedPreview(
  verb: Verb,
  task: Task,
  { plan, step }: { readonly plan: RollbackPlan; readonly step: string },
): Preview | null {
  const { isCut, items, leftOver, obstacle, pivot, to } = plan;
  if (step !== (to ?? '')) return null;
  const first =
    verb === 'undo'
      ? 'The task goes back as if it had failed at its end.'
      : 'The task stops going forward.';
  const kept = pivot === null ? [] : [`${pivot} stays: it is a point of no return.`];
  const isNone = items.length === 0 && obstacle === null && !isCut;
  const none = isNone ? ['Nothing has to be undone.'] : [];
  const left = leftOver.map((place) => nameOf(task, place)).join(', ');
  const stays = left === '' ? [] : [`These have no undo: ${left}.`];
  const lost = items.filter(({ served }) => !served).map((item) => commandOf(item));
  const waits = [...new Set(lost)].join(', ');
  const unserved = waits === '' ? [] : [`No executor is there that has ${waits}.`];
  const more = isCut ? ['There is more to undo than is listed.'] : [];
  const ends = obstacle === null || to !== null ? [] : [`Not all of it: ${obstacle}.`];
  const held = to === null ? [] : [`Then the task is on hold; ${to} can be retried.`];
  const before = [first, ...calledOff(task.steps), ...kept, ...none, ...stays, ...unserved];
  return {
    sentences: [...before, ...more, ...ends, ...held],
    order: items.map((item) => `${nameOf(task, item)}: ${commandOf(item)}`),
  };
}

function nameOf({ taskId }: Task, place: PlannedPlace): string {
  return place.taskId === taskId ? place.id : `${place.id} of task ${place.taskId}`;
}

function commandOf({ command, module }: RollbackPlan['items'][number]): string {
  return `${module}.${command}`;
}
