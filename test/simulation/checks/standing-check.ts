import { statusOf, type Task } from '#core';
import { pivotsOfTask } from '#core/scopes';
import { newEntries } from './new-entries.js';

/** Acts of persons by which a hold may end. */
const FREEING: ReadonlySet<string> = new Set([
  'retry_requested',
  'skip_requested',
  'rollback_requested',
  'reset_requested',
  'undo_requested',
]);

/** The fault in a document's direction, hold and outcome, compared with the document before. */
export function standingFault(task: Task, before: Task | null): string | null {
  const { hold, outcome, status, turned, way } = task;
  if (status !== statusOf(task)) return `status ${status} is not what its fields make it`;
  if ((turned !== null) !== (way === 'back')) return `it goes ${way}, and turned is ${turned?.why}`;
  if (before !== null && turnedTwice(task, before)) {
    return 'it turned back a second time';
  }
  if (outcome === 'succeeded' && way === 'back') return 'it succeeded on its way back';
  if (outcome === 'rolled_back' && way === 'forward') return 'it is rolled back and never turned';
  const hasFailed = task.runs.some(({ rollback }) => rollback?.state === 'failed');
  const isCalled = hold?.why === 'rollback_failed';
  // A child task that passed a point of no return calls a person before anything of it is undone.
  const isBarred = isCalled && way === 'back' && pivotsOfTask(task).length > 0;
  if (outcome === null && hasFailed !== isCalled && !isBarred) {
    return `its rollbacks ${hasFailed ? 'failed' : 'have not failed'}, and its hold is ${hold?.why}`;
  }
  if (before === null) return null;
  return pauseFault(task, before) ?? startedOnHold(task, before);
}

/** A pause begins and ends by persons alone, or with its task; and nothing is started meanwhile. */
function pauseFault(task: Task, before: Task): string | null {
  const added = newEntries(task, before);
  const isResumed = added.some(({ kind }) => kind === 'resume_requested');
  const isPaused = added.some(({ kind }) => kind === 'pause_requested');
  if (before.paused !== null && task.paused === null && !isResumed && task.outcome === null) {
    return 'its pause ended, and nobody resumed it';
  }
  if (isResumed && !isPaused && task.paused !== null) return 'it was resumed and is still paused';
  if (before.paused === null || isResumed) return null;
  // A person's retry has a step begin again that is no command, also while the task is paused.
  if (added.some(({ kind }) => kind === 'retry_requested')) return null;
  const started = added.find(({ kind }) => kind === 'started');
  return started === undefined ? null : `step ${started.step} was started while it was paused`;
}

/** A way back ends only with the task, or where a person asked for a part of it alone. */
function turnedTwice(task: Task, before: Task): boolean {
  if (before.turned === null || before.turned.to !== null) return false;
  if (task.turned === before.turned) return false;
  const added = newEntries(task, before);
  return !added.some(({ kind }) => kind === 'reset_requested' || kind === 'rollback_requested');
}

/** A task on hold starts nothing new; what was queued before the hold goes on. */
function startedOnHold(task: Task, before: Task): string | null {
  if (task.hold === null || before.hold === null || task.runs === before.runs) return null;
  const added = newEntries(task, before);
  if (added.some(({ kind }) => FREEING.has(kind))) return null;
  for (const [at, { normal, rollback }] of task.runs.entries()) {
    const old = before.runs[at];
    if (old?.normal.state === 'pending' && normal.state !== 'pending') {
      return `step ${at} began while the task was on hold`;
    }
    // A call that was never entered leaves nothing to undo, on hold as well.
    const isLeft = rollback?.state === 'pending' || rollback?.state === 'none';
    if (old?.rollback?.state !== 'pending' || isLeft) continue;
    return `the rollback of step ${at} began while the task was on hold`;
  }
  return null;
}
