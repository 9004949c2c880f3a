import {
  type EventOf,
  listNames,
  type PersonsAction,
  type Refusal,
  type StepRuns,
  type Task,
} from '#core';
import { placeOf, placeOfStep, runIdOf } from '#core/scopes';
import type { TaskStore } from '#ports';

/**
 * The outcome of an attempt that waits for its completion from outside, as a person reports it who
 * has no token of the attempt.
 */
export interface CompleteOrder
  extends PersonsAction, Pick<EventOf<'completed'>, 'hasSecrets' | 'result'> {
  readonly kind: 'complete_ordered';
  /** The id of its run, or the name of one of the task's own steps. */
  readonly step: string;
}

/**
 * The completion that a person orders, of the attempt that waits now; or why there is none. Throws
 * `StoreUnavailable`.
 */
export async function orderedCompletion(
  store: Pick<TaskStore, 'get'>,
  taskId: string,
  { step: name, ...order }: CompleteOrder,
): Promise<EventOf<'completed'> | Refusal> {
  const task = await store.get(taskId);
  const place = task && placeNamed(task, name);
  const runs = place === null ? undefined : task?.runs[place];
  const wasDone = task?.doneActions.some(({ key }) => key !== null && key === order.key) ?? false;
  // The task knows the key, and ignores what is said with it once more.
  const direction = wasDone ? 'normal' : waitingIn(runs);
  if (task === null || place === null || direction === null) return refused(task, name);
  const attempt = (direction === 'normal' ? runs?.normal : runs?.rollback)?.attempts ?? 0;
  return { ...order, kind: 'completed', direction, step: place, attempt };
}

function placeNamed(task: Task, name: string): number | null {
  return placeOf(task, name) ?? placeOfStep(task, name);
}

/** Which action of a step waits for its completion from outside; null: none does. */
function waitingIn(runs: StepRuns | undefined): EventOf<'completed'>['direction'] | null {
  const { normal, rollback } = runs ?? {};
  if (rollback?.state === 'waiting' && rollback.look === 'outside') return 'rollback';
  return normal?.state === 'waiting' && normal.look === 'outside' ? 'normal' : null;
}

function refused(task: Task | null, name: string): Refusal {
  const places = task?.runs.flatMap((runs, place) => (waitingIn(runs) === null ? [] : [place]));
  const waiting = (places ?? []).map((place) => runIdOf(task as Task, place));
  const which = waiting.length === 0 ? 'no other does' : `these do: ${listNames(waiting)}`;
  const message =
    `complete without a token needs a step that waits for its completion from outside; ` +
    `${name} does not, and ${which}`;
  return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
}
