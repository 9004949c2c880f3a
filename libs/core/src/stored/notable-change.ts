import type { StepOf } from '../flow/flow.js';
import { StepMark } from '../scopes/marked-steps.js';
import { stepAt } from '../scopes/step-at.js';
import { changedSteps } from '../scopes/task-index.js';
import type { Task } from '../task/task.js';

/**
 * Whether the step from one document to the next changes how the task stands: its status, why it
 * failed, its hold, its pause, its alert, its start and end, or whether it asks a person. That a
 * step of it began or ended does not.
 */
export function isNotableChange(previous: Task, next: Task): boolean {
  return (
    previous.status !== next.status ||
    previous.message !== next.message ||
    previous.hold !== next.hold ||
    previous.paused !== next.paused ||
    previous.startedAt !== next.startedAt ||
    previous.endedAt !== next.endedAt ||
    previous.alert?.taskId !== next.alert?.taskId ||
    asksAnew(previous, next)
  );
}

const ASKING = new StepMark(
  ({ approve }) => approve !== undefined,
  ({ normal }) => normal.state === 'waiting',
);

/** Whether a step began, or ended, to wait for a person's yes or no. */
function asksAnew(previous: Task, next: Task): boolean {
  if (previous.runs === next.runs || !ASKING.mayBeIn(next.plan.steps)) return false;
  return changedSteps(previous, next).some((place) => {
    if (stepAt(next, place)?.approve === undefined) return false;
    return isWaiting(previous, place) !== isWaiting(next, place);
  });
}

function isWaiting({ runs }: Task, place: number): boolean {
  return runs[place]?.normal.state === 'waiting';
}

/** A step that waits for a person's yes or no, and its place. */
interface WaitingApproval {
  readonly place: number;
  readonly step: StepOf<'approve'>['approve'];
}

/** The steps that wait for a person's yes or no. */
export function approvalsOf(task: Task): readonly WaitingApproval[] {
  const found: WaitingApproval[] = [];
  for (let place = 0; place < task.runs.length; place += 1) {
    if (!isWaiting(task, place)) continue;
    const step = stepAt(task, place)?.approve;
    if (step !== undefined) found.push({ place, step });
  }
  return found;
}
