import type { ActionReport, RunReport, TaskEvent, TaskReport } from '../client/types.js';

/** How one half of a step is doing, as it is drawn. */
export interface RunView {
  readonly state: string;
  readonly attempts: number;
  readonly message: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** One step, as it is drawn. */
export interface StepView {
  readonly name: string;
  readonly needs: readonly string[];
  readonly normal: RunView & { readonly action: string };
  readonly rollback: (RunView & { readonly action: string }) | null;
}

/** A task, as it is drawn. */
export interface TaskView {
  readonly taskId: string;
  readonly flow: string;
  readonly status: string;
  readonly message: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly steps: readonly StepView[];
}

/** When something began and ended. */
interface Span {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

const ENDS = new Set(['succeeded', 'failed', 'timed_out', 'called_off', 'skip_requested']);

/** A task for drawing. The task counts whole seconds; its events know milliseconds. */
export function viewTask(task: TaskReport, events: readonly TaskEvent[]): TaskView {
  const spanOf = (id: string, direction: string, run: RunReport): Span => {
    const own = events.filter((event) => {
      return (event.run ?? event.step) === id && event.direction === direction;
    });
    return exactSpan(own, run);
  };
  return {
    taskId: task.taskId,
    flow: task.flow,
    status: task.status,
    message: task.taskMessage,
    startedAt: timeOf(events[0]) ?? milliseconds(task.timeStart),
    endedAt: task.timeEnd === null ? null : (timeOf(events.at(-1)) ?? milliseconds(task.timeEnd)),
    steps: task.steps.map((step) => ({
      name: step.name,
      needs: step.needs,
      normal: viewRun(step, step.normal, spanOf(step.id, 'normal', step)),
      rollback:
        step.rollback &&
        viewRun(step.rollback, step.rollback, spanOf(step.id, 'rollback', step.rollback)),
    })),
  };
}

function viewRun(
  { state, attempts, message }: RunReport,
  { module, command }: ActionReport,
  span: Span,
): StepView['normal'] {
  return { state, attempts, message, ...span, action: `${module}.${command}` };
}

function exactSpan(events: readonly TaskEvent[], run: RunReport): Span {
  const started = events.find(({ kind }) => kind === 'started');
  const ended = events.findLast(({ kind }) => ENDS.has(kind));
  return {
    startedAt: timeOf(started) ?? milliseconds(run.timeStart),
    endedAt: run.timeEnd === null ? null : (timeOf(ended) ?? milliseconds(run.timeEnd)),
  };
}

function timeOf(event: TaskEvent | undefined): number | null {
  return event === undefined ? null : Date.parse(event.at);
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1_000;
}
