import type { TaskEvent } from '../client/types.js';
import type { RunView, StepView, TaskView } from './task-view.js';

/** The state of the half of a step after an event about it, by the kind of the event. */
const STATES: Readonly<Record<string, string>> = {
  started: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed_out',
  called_off: 'terminated',
  retry_scheduled: 'waiting',
  not_finished: 'waiting',
  lease_lost: 'queued',
  restart_scheduled: 'queued',
  handed_back: 'queued',
  skip_requested: 'skipped',
};

/** The status of the task after an event, by the kind of the event. */
const STATUSES: Readonly<Record<string, string>> = {
  started: 'running',
  turned_back: 'rolling_back',
  pause_requested: 'paused',
  resume_requested: 'running',
  forward_again: 'running',
  task_succeeded: 'succeeded',
  task_rolled_back: 'rolled_back',
  task_rollback_failed: 'rollback_failed',
  task_on_hold: 'on_hold',
  task_terminated: 'terminated',
};

const UNTOUCHED = { attempts: 0, message: null, startedAt: null, endedAt: null } as const;

/**
 * The pictures of a task after each of its events, for showing slowly what went too fast to be
 * seen. The last one is the task as it is.
 */
export function replayTask(last: TaskView, events: readonly TaskEvent[]): readonly TaskView[] {
  let view: TaskView = {
    ...last,
    status: 'not_started',
    message: null,
    endedAt: null,
    steps: last.steps.map((step) => ({
      ...step,
      normal: { ...step.normal, ...UNTOUCHED, state: 'pending' },
      rollback: step.rollback && { ...step.rollback, ...UNTOUCHED, state: 'none' },
      // Steps inside other steps are shown in the last picture alone.
      scopes: [],
    })),
  };
  const pictures = [view];
  for (const event of events.slice(0, -1)) {
    view = apply(view, event, last);
    pictures.push(view);
  }
  return [...pictures, last];
}

function apply(view: TaskView, event: TaskEvent, last: TaskView): TaskView {
  const { kind, message = null, run, step: name } = event;
  if (run?.includes('/') === true) return view;
  if (kind === 'turned_back' && name === undefined) {
    return { ...view, status: 'rolling_back', message, steps: turnBack(view, last) };
  }
  const moves = kind !== 'started' || view.status === 'not_started';
  const status = (moves && kind !== 'turned_back' ? STATUSES[kind] : undefined) ?? view.status;
  return {
    ...view,
    status,
    steps: view.steps.map((step) => (step.name === name ? applyToStep(step, event) : step)),
  };
}

/** Marks started steps as waiting for their rollback, except those known to have no effect. */
function turnBack(view: TaskView, last: TaskView): readonly StepView[] {
  return view.steps.map((step, index) => {
    const { normal, rollback } = step;
    const isNever = last.steps[index]?.rollback?.state === 'none';
    if (rollback === null || normal.startedAt === null || isNever) return step;
    return { ...step, rollback: { ...rollback, state: 'pending' } };
  });
}

function applyToStep(step: StepView, event: TaskEvent): StepView {
  const { direction } = event;
  if (direction === 'normal') return { ...step, normal: applyToRun(step.normal, event) };
  if (direction !== 'rollback' || step.rollback === null) return step;
  return { ...step, rollback: applyToRun(step.rollback, event) };
}

function applyToRun<T extends RunView>(run: T, { at, attempt, kind, message }: TaskEvent): T {
  const state = STATES[kind];
  if (state === undefined) return run;
  const time = Date.parse(at);
  if (kind === 'started') {
    const startedAt = run.startedAt ?? time;
    return { ...run, state, attempts: attempt ?? run.attempts, startedAt, endedAt: null };
  }
  return { ...run, state, message: message ?? run.message, endedAt: time };
}
