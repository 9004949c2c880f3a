import { type ActionRun, FAILURE_CODES, failureName, TASK_STATUS, type Task } from '#core';
import { isHeldByTime, runIdOf, timeOver } from '#core/scopes';

/** Of a run that ended because something else did: no error of its own. */
const { CALLED_OFF, TERMINATED } = FAILURE_CODES;

/** A run of an action that failed, and the place of its step. */
interface FailedAction {
  readonly place: number;
  readonly run: ActionRun;
}

/** A time that was over, for which a task waits for a person. */
interface TimeOver {
  /** Place of the step that it was the time of; null: it was that of the task as a whole. */
  readonly place: number | null;
  /** When the task came to a halt, milliseconds since 1970; null: that is not known any more. */
  readonly since: number | null;
}

/** Members of a task that say what it waits for and what went wrong last, as JSON. */
export function standingMembers(task: Task): string {
  return (
    `"paused":${pauseJson(task)},"hold":${holdJson(task)},"turned":${turnJson(task)}` +
    `,"lastError":${errorJson(task)},"restartOf":${JSON.stringify(task.plan.restartOf)}` +
    `,"failureFlow":${failureJson(task)},"only":${JSON.stringify(task.plan.only?.step ?? null)}`
  );
}

/** The flow that is started unless the task succeeds, and the task that runs it. */
function failureJson({ failureTask, plan }: Task): string {
  const { failureFlow } = plan;
  if (failureFlow === null) return 'null';
  const { message = null, taskId = null } = failureTask ?? {};
  return JSON.stringify({ name: failureFlow, taskId, message });
}

function pauseJson({ paused }: Task): string {
  if (paused === null) return 'null';
  const { at, by, reason } = paused;
  return JSON.stringify({ by, reason, since: seconds(at) });
}

/** Why it goes or went back: whether it failed, or was undone because a person asked for that. */
function turnJson({ turned }: Task): string {
  if (turned === null) return 'null';
  const { at, by, message, why } = turned;
  return JSON.stringify({ why, by, reason: message, since: seconds(at) });
}

/** A failed rollback is told by the status alone. */
function holdJson({ hold, message, status }: Task): string {
  if (hold === null || status !== TASK_STATUS.on_hold) return 'null';
  const { by, until } = hold;
  return JSON.stringify({ by: by ?? 'flow', reason: message ?? '', until: seconds(until) });
}

/**
 * The action that failed last, of those that have not succeeded since; or the step whose time was
 * over, if the task waits for a person because of that. The time of the whole task is of no step.
 */
function errorJson(task: Task): string {
  const last = lastFailure(task);
  const over = timeHeldFor(task);
  if (over !== null) return timeOverJson(task, over.place);
  if (last === null)
    return task.turned?.why === 'task_timed_out' ? timeOverJson(task, null) : 'null';
  const { code, error, message } = last.run;
  return JSON.stringify({
    step: runIdOf(task, last.place),
    code: error ?? failureName(code),
    message,
  });
}

function timeOverJson(task: Task, place: number | null): string {
  const step = place === null ? null : runIdOf(task, place);
  const code = failureName(FAILURE_CODES.TIMED_OUT);
  return JSON.stringify({ step, code, message: task.message });
}

/**
 * The time for which a task waits for a person; null: it does not wait, or because a step failed.
 * Of times that were over, the one that ended last: the others were settled before.
 */
export function timeHeldFor(task: Task): TimeOver | null {
  if (!isHeldByTime(task)) return null;
  const since = task.journal.findLast(({ kind }) => kind === 'task_on_hold')?.at ?? null;
  const isOver = (end: number): boolean => end <= (since ?? Infinity);
  const own = timeOver({ ...task, hold: null });
  let place: number | null = null;
  let latest = own !== null && isOver(own) ? own : -Infinity;
  task.runs.forEach(({ normal: { deadline, dueAt, lease, state } }, at) => {
    const isPassed = state === 'running' && lease === null && dueAt === null;
    if (!isPassed || deadline === null || !isOver(deadline) || deadline <= latest) return;
    [place, latest] = [at, deadline];
  });
  return { place, since };
}

/**
 * The action that failed last, and its place; null: none did. An action that a person terminated
 * counts where nothing had failed by itself.
 */
export function lastFailure(task: Task): FailedAction | null {
  let last: FailedAction | null = null;
  let ended: FailedAction | null = null;
  for (let place = 0; place < task.runs.length; place += 1) {
    const { normal, rollback } = task.runs[place] ?? {};
    for (const run of [normal, rollback]) {
      if (!run || run.code === 0 || run.code === CALLED_OFF || run.endedAt === null) continue;
      const before: FailedAction | null = run.code === TERMINATED ? ended : last;
      if (before !== null && run.endedAt < (before.run.endedAt ?? 0)) continue;
      if (run.code === TERMINATED) ended = { place, run };
      else last = { place, run };
    }
  }
  return last ?? ended;
}

/** A moment as tasks show it: whole seconds since 1970. */
export function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000);
}
