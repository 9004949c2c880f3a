import { statusName, type Task } from '#core';
import { pivotsOfTask, runIdOf } from '#core/scopes';
import { lastFailure, timeHeldFor } from '../tasks/standing.presenter.js';
import { rollbacks } from './rollback-steps.js';
import { type Cause, CHECK_BROKER, type LookedChild, moment } from './cause.js';
import { type NextStep, type Situation, WAIT } from './cause.js';

/** A read that takes longer says that the store is slow, in milliseconds. */
const SLOW_MS = 1_000;

const GO_ON: NextStep = { action: 'retry', label: 'Let it go on although its time is over' };
const RETRY: NextStep = { action: 'retry', label: 'Retry what failed, after its cause is fixed' };
const SKIP: NextStep = { action: 'skip', label: 'Skip the step, if it was done or undone by hand' };
const END_BARRED: NextStep = {
  action: 'terminate',
  label: 'Undo by hand what has to be undone, and terminate it',
};
const RESTART: NextStep = { action: 'restart', label: 'Start a new task with the same parameters' };
const START: NextStep = {
  action: 'start_flow',
  label: 'Start an existing flow by hand to report the failure',
};
const RESET: NextStep = {
  action: 'reset',
  label: 'Undo down to a step, and run forward again from it',
};

/** Reasons that lie in the task as a whole, or in what all tasks need. */
export function taskCauses(situation: Situation): readonly Cause[] {
  const { task } = situation;
  if (task.outcome !== null) return [ended(task), ...failureCauses(task)];
  return [...storeCauses(situation), ...brokerCauses(situation), ...standingCauses(situation)];
}

function ended(task: Task): Cause {
  const status = statusName(task.status);
  const again = status === 'terminated' ? [RESTART] : [RESTART, RESET];
  const undo: NextStep = { action: 'undo', label: 'Undo everything that the task did' };
  return {
    code: 'ENDED',
    message: `The task has ended: ${status}.`,
    since: moment(task.endedAt),
    evidence: { status, message: task.message },
    next: status === 'succeeded' ? [...again, undo] : again,
  };
}

/** The cause where the failure flow of an ended task is still to start, or could not. */
function failureCauses({ endedAt, failureTask, outcome, plan }: Task): readonly Cause[] {
  if (failureTask === null || outcome === 'succeeded') return [];
  if (failureTask.taskId !== null) return [];
  const { failureFlow: flow } = plan;
  const { message } = failureTask;
  const isOpen = message === null;
  return [
    {
      code: isOpen ? 'FAILURE_FLOW_WAITS' : 'FAILURE_FLOW_REFUSED',
      message: isOpen
        ? `The failure flow ${flow} is about to start.`
        : `The failure flow ${flow} could not be started: ${message}.`,
      since: moment(endedAt),
      evidence: { flow, message, looksAgain: moment(failureTask.dueAt) },
      next: isOpen ? [WAIT] : [START],
    },
  ];
}

function standingCauses(situation: Situation): readonly Cause[] {
  const { hold, paused } = situation.task;
  const causes = hold === null ? [] : [holdCause(situation, hold)];
  if (paused === null) return causes;
  const { at, by, reason } = paused;
  causes.push({
    code: 'PAUSED',
    message: `${by} paused the task: ${reason}`,
    since: moment(at),
    evidence: { by, reason },
    next: [{ action: 'resume', label: 'Resume it' }],
  });
  return causes;
}

function holdCause(situation: Situation, hold: NonNullable<Task['hold']>): Cause {
  const { task } = situation;
  const { message } = task;
  if (hold.why === 'rollback_failed') return undoCause(situation);
  const failed = failedStep(task);
  const isOfTime = timeHeldFor(task) !== null;
  const remedies = isOfTime ? [GO_ON] : [RETRY, { ...SKIP, ...failed }];
  return {
    code: hold.until === null ? 'ON_HOLD' : 'HELD_UNTIL',
    message:
      hold.until === null
        ? `The task is on hold until a person decides: ${message ?? ''}`
        : `The task is on hold until ${moment(hold.until)}, and then rolls back: ${message ?? ''}`,
    since: moment(heldSince(task)),
    evidence: { ...failed, why: hold.why, by: hold.by, until: moment(hold.until), message },
    next: [...remedies, ...rollbacks(situation)],
  };
}

/** A rollback failed; or a child task is not undone, as it passed a point of no return. */
function undoCause({ alertTask, task }: Situation): Cause {
  const { alert, message, turned } = task;
  const since = failedSince(task);
  const called = { alert: alertState(task, alertTask), alertTask: alert?.taskId ?? null };
  if (since === null) {
    const steps = pivotsOfTask(task).map((place) => runIdOf(task, place));
    return {
      code: 'PAST_PIVOT',
      message: `The task is not undone, and a person has to act: ${message ?? ''}`,
      since: moment(turned?.at ?? null),
      evidence: { steps, message, ...called },
      next: [END_BARRED],
    };
  }
  const failed = failedStep(task);
  return {
    code: 'ROLLBACK_FAILED',
    message: `A rollback failed, and a person has to act: ${message ?? ''}`,
    since: moment(since),
    evidence: { ...failed, message, ...called },
    next: [RETRY, { ...SKIP, ...failed }],
  };
}

/** How the alert about a failed rollback stands; null: nobody is called. */
function alertState({ alert }: Task, alertTask: LookedChild | null): string | null {
  if (alert === null || alert.dueAt === null) return null;
  if (alert.taskId === null) return 'starting';
  return alertTask === null ? 'ended' : statusName(alertTask.status);
}

/** When the latest rollback failed, in milliseconds since 1970; null: none did. */
function failedSince({ runs }: Task): number | null {
  const failed = runs.filter(({ rollback }) => rollback?.state === 'failed');
  return Math.max(0, ...failed.map(({ rollback }) => rollback?.endedAt ?? 0)) || null;
}

/** The run of the step that the task is held for; nothing: a person asked for it. */
function failedStep(task: Task): { readonly step?: string } {
  const { hold, runs } = task;
  if (hold === null || hold.why === 'requested') return {};
  const over = timeHeldFor(task);
  if (over !== null) return over.place === null ? {} : { step: runIdOf(task, over.place) };
  const undo = runs.findIndex(({ rollback }) => rollback?.state === 'failed');
  const place = undo >= 0 ? undo : (lastFailure(task)?.place ?? null);
  return place === null ? {} : { step: runIdOf(task, place) };
}

/**
 * When the task came to a halt: as its time was over, or the last action failed, or was undone
 * where a person asked.
 */
function heldSince(task: Task): number | null {
  const over = timeHeldFor(task);
  if (over !== null) return over.since;
  if (task.hold?.why !== 'requested') return lastFailure(task)?.run.endedAt ?? null;
  const undone = task.runs.map(({ rollback }) => rollback?.endedAt ?? 0);
  return Math.max(0, ...undone) || null;
}

function brokerCauses({ brokerObstacle }: Situation): readonly Cause[] {
  if (brokerObstacle === null) return [];
  return [
    {
      code: 'BROKER_AWAY',
      message: `No message can be sent: ${brokerObstacle}`,
      since: null,
      evidence: { obstacle: brokerObstacle },
      next: [CHECK_BROKER, WAIT],
    },
  ];
}

function storeCauses({ storeMs }: Situation): readonly Cause[] {
  if (storeMs < SLOW_MS) return [];
  return [
    {
      code: 'STORE_SLOW',
      message: `The store took ${storeMs} ms to read this task.`,
      since: null,
      evidence: { milliseconds: storeMs },
      next: [{ action: 'check_store', label: 'Check the load of the store' }],
    },
  ];
}
