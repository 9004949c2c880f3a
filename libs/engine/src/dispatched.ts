import { type ActionRef, type Dispatch, directionOf, type Task } from '#core';
import { actionOf, nextAttempt, placeOf, runOf } from '#core/scopes';
import { dispatchesOf, type QueuedAction } from '#core/transitions';
import type { TaskStore } from '#ports';

/**
 * The action of a task that a message is about; null where the task does not have that run, or has
 * another generation of its step by now.
 */
function refIn(task: Task, { message }: Dispatch): ActionRef | null {
  const step = placeOf(task, message.run);
  return step === null ? null : { direction: directionOf(message.type), step };
}

/** The action that a message names, if the document has it; a forged one cannot make up work. */
export function actionIn(task: Task, dispatch: Dispatch): ActionRef | null {
  const { message } = dispatch;
  const ref = refIn(task, dispatch);
  if (ref === null || runOf(task, ref) === null) return null;
  const action = actionOf(task, ref);
  const isIt = action?.module === message.module && action.command === message.command;
  return isIt ? ref : null;
}

/** Whether the document still wants this attempt of an action. */
export function isAskedFor(task: Task, ref: ActionRef, attempt: number): boolean {
  const run = runOf(task, ref);
  return run?.state === 'queued' && nextAttempt(run) === attempt;
}

/**
 * Whether a process or a worker has an action in hand. The undo of a step that was caught runs
 * while those of its own steps do, and nothing has it in hand.
 */
export function isInHand(task: Task, ref: ActionRef): boolean {
  return (runOf(task, ref)?.lease ?? null) !== null;
}

/**
 * The messages for what a stored change queued. A single one takes the document along, so that its
 * receiver need not read it; of several, the first to be claimed would belie the others.
 */
export function messagesOf(
  store: TaskStore,
  task: Task,
  queued: readonly QueuedAction[],
): readonly Dispatch[] {
  const dispatches = dispatchesOf(task, queued);
  const [only] = dispatches;
  if (only === undefined || dispatches.length > 1) return dispatches;
  const snapshot = store.snapshots?.textOf(task) ?? null;
  return snapshot === null ? dispatches : [{ snapshot, ...only }];
}

/** The message that asks for an action, as a document has it; none where it is not queued. */
export function messageFor(store: TaskStore, task: Task, ref: ActionRef): readonly Dispatch[] {
  const run = runOf(task, ref);
  const action = actionOf(task, ref);
  if (run?.state !== 'queued' || action === undefined) return [];
  const queued = { ref, action, attempt: nextAttempt(run), orderAt: run.orderAt ?? 0 };
  return messagesOf(store, task, [queued]);
}
