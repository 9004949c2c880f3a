import { hasPassedPivot } from './pivot.js';
import { type Placed, TASK } from './step-at.js';
import { callsPerson } from '../task/status.js';
import type { Task } from '../task/task.js';
import type { ActionRun, StepRuns } from '../task/action-run.js';

/** The parts of a task from which its wake-up time follows. */
type Wakeable = Pick<
  Task,
  | 'plan'
  | 'way'
  | 'outcome'
  | 'hold'
  | 'paused'
  | 'resetAt'
  | 'runs'
  | 'scopes'
  | 'locks'
  | 'failureTask'
  | 'alert'
  | 'index'
>;

/**
 * The earliest moment at which the engine must look at the task again. Null for a final task with
 * no work left, and for one that is paused or on hold with nothing under way. Lost messages,
 * retries, timers, deadlines and actions past theirs all meet here, which is why no task can be
 * stuck.
 */
export function wakeTime(task: Wakeable): number | null {
  if (task.outcome !== null) return earlier(wakeOfChildren(task), wakeOfFailure(task));
  let earliest = Math.min(wakeOfRuns(task), wakeOfLocks(task));
  const ofAlert = callsPerson(task) ? task.alert?.dueAt : null;
  earliest = Math.min(earliest, ofAlert ?? Infinity, timeOver(task) ?? Infinity);
  if (earliest !== Infinity) return earliest;
  // A person lets it go on, or a system outside.
  const mayRest = task.paused !== null || waitsForDecision(task) || task.runs.some(isForOutside);
  return mayRest ? null : Infinity;
}

/** A task that was terminated sees to it that its child tasks are. */
function wakeOfChildren({ outcome, runs, scopes }: Wakeable): number | null {
  if (outcome !== 'terminated') return null;
  let earliest: number | null = null;
  for (const { holder, kind, stage } of scopes) {
    if (kind !== 'children' || stage !== 'open') continue;
    const dueAt = runs[holder]?.normal.dueAt ?? null;
    if (dueAt !== null) earliest = Math.min(earliest ?? dueAt, dueAt);
  }
  return earliest;
}

/** A task that ended other than succeeded sees to it that its failure flow is started. */
function wakeOfFailure({ failureTask, outcome }: Wakeable): number | null {
  return outcome === 'succeeded' ? null : (failureTask?.dueAt ?? null);
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** A task that starts nothing looks for locks once it goes on. */
function wakeOfLocks({ hold, locks, paused }: Wakeable): number {
  if (locks.length === 0 || hold !== null || paused !== null) return Infinity;
  return Math.min(...locks.map(({ dueAt }) => dueAt ?? Infinity));
}

/** Whether it waits until a person or system outside says something, however long that takes. */
function isForOutside({ normal }: StepRuns): boolean {
  return normal.state === 'waiting' && normal.dueAt === null;
}

/**
 * When the task turns back by itself, milliseconds since 1970: at the end of its hold, or of its
 * time while it is not on hold for a person's decision. Null: never, or not while a rollback has
 * failed, as nothing goes back past a point of no return.
 */
export function timeOver(task: Placed & Pick<Task, 'way' | 'hold' | 'resetAt'>): number | null {
  const { hold } = task;
  if (waitsForDecision(task)) return hold?.until ?? null;
  const end = task.way === 'forward' ? forwardDeadline(task) : null;
  return end !== null && hold !== null && hasPassedPivot(task, TASK) ? null : end;
}

/** Whether the task is on hold until a person says what becomes of it, and nobody is called. */
export function waitsForDecision({ hold }: Pick<Task, 'hold'>): boolean {
  return hold !== null && !callsPerson({ hold });
}

/**
 * End of the way forward; null: no limit. A task that a person had go forward again has all of its
 * time once more from then.
 */
function forwardDeadline({ plan, resetAt }: Pick<Task, 'plan' | 'resetAt'>): number | null {
  const { createdAt, deadline } = plan;
  return deadline === null || resetAt === null ? deadline : resetAt + (deadline - createdAt);
}

function wakeOfRuns({ index, paused, runs }: Wakeable): number {
  let earliest = Infinity;
  if (paused === null && index !== null && index.runs === runs) {
    for (const { wakeAt } of index.stretches) earliest = Math.min(earliest, wakeAt);
    return earliest;
  }
  const wakeOf = paused === null ? wakeOfRun : wakeWhilePaused;
  for (const { normal, rollback } of runs) {
    earliest = Math.min(earliest, wakeOf(normal));
    if (rollback !== null) earliest = Math.min(earliest, wakeOf(rollback));
  }
  return earliest;
}

/** Only what runs is looked at while the task is paused: nothing else goes on by itself. */
function wakeWhilePaused(run: ActionRun): number {
  return run.state === 'running' ? wakeOfRun(run) : Infinity;
}

/** The earliest moment at which the engine must look at a run; Infinity: nobody need. */
export function wakeOfRun(run: ActionRun): number {
  switch (run.state) {
    case 'running':
      // A step that holds steps runs until they are done, unless its own time is over before.
      return run.dueAt ?? (run.lease === null ? Infinity : 0);
    case 'waiting':
      // Without a moment: for a person or system outside.
      return run.dueAt ?? Infinity;
    case 'queued':
      return Math.min(run.dueAt ?? 0, queueDeadline(run));
    default:
      return Infinity;
  }
}

/**
 * When a queued action runs out of time, or expires because nobody has started it; not before its
 * last look.
 */
export function queueDeadline(run: ActionRun): number {
  return run.look === 'last' ? Infinity : (run.deadline ?? run.expiresAt ?? Infinity);
}
