import { commandsIn } from '../client/follow-task.js';
import type {
  ActionReport,
  RunReport,
  ScopeReport,
  StepReport,
  TaskEvent,
  TaskReport,
} from '../client/types.js';

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
  /** Of its present run. */
  readonly id: string;
  readonly needs: readonly string[];
  readonly normal: RunView & { readonly action: string };
  readonly rollback: (RunView & { readonly action: string }) | null;
  readonly scopes: readonly ScopeView[];
}

/** A list of steps that a step holds, as it is drawn. */
export interface ScopeView {
  /** `round 2`; `catch` where there can be no other. */
  readonly title: string;
  readonly steps: readonly StepView[];
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
  return {
    taskId: task.taskId,
    flow: task.flow,
    status: task.status,
    message: task.taskMessage,
    startedAt: timeOf(events[0]) ?? milliseconds(task.timeStart),
    endedAt: task.timeEnd === null ? null : (timeOf(events.at(-1)) ?? milliseconds(task.timeEnd)),
    steps: task.steps.map((step) => viewStep(step, { events, hasEnded: task.timeEnd !== null })),
  };
}

/** The task around a step. */
interface Surroundings {
  readonly events: readonly TaskEvent[];
  readonly hasEnded: boolean;
}

function viewStep(step: StepReport, around: Surroundings): StepView {
  const { events, hasEnded } = around;
  const { id, name, needs, normal, rollback, scopes = [] } = step;
  const spanOf = (direction: string, run: RunReport): Span => {
    const own = events.filter((event) => {
      return (event.run ?? event.step) === id && event.direction === direction;
    });
    return exactSpan(own, run);
  };
  const action = normal === undefined ? step.kind : actionText(normal);
  return {
    name,
    id,
    needs,
    normal: viewRun(
      hasEnded ? atEnd(step) : step,
      scopeText(action, scopes),
      spanOf('normal', step),
    ),
    rollback: rollback
      ? viewRun(rollback, actionText(rollback), spanOf('rollback', rollback))
      : viewWayBack(scopes),
    scopes: scopes.map((scope) => ({
      title: titleOf(scope),
      steps: scope.steps.map((inner) => viewStep(inner, around)),
    })),
  };
}

function actionText({ command, module }: ActionReport): string {
  return `${module}.${command}`;
}

/** The progress of a step that holds steps: `group, try 2`; `parallel, 3 branches`. */
function scopeText(action: string, scopes: readonly ScopeReport[]): string {
  const last = scopes.at(-1);
  if (last === undefined) return action;
  return `${action}, ${last.kind === 'branch' ? countText(scopes) : titleOf(last)}`;
}

function titleOf({ kind, name }: ScopeReport): string {
  return kind === name ? kind : `${kind} ${name}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  branch: 'branches',
  round: 'rounds',
  try: 'tries',
};

/** `round 1`; `3 rounds`. */
function countText(scopes: readonly ScopeReport[]): string {
  const [first] = scopes;
  if (first === undefined) return '';
  const { length } = scopes.filter(({ kind }) => kind === first.kind);
  return length === 1 ? titleOf(first) : `${length} ${PLURALS[first.kind] ?? first.kind}`;
}

const TO_UNDO = new Set(['pending', 'queued', 'running', 'waiting']);
const GOES_ON = new Set(['queued', 'running', 'waiting']);

/** The way back of a step that holds steps; null: none of them goes back. */
function viewWayBack(scopes: readonly ScopeReport[]): StepView['rollback'] {
  const back = scopes.filter(({ way }) => way === 'back');
  if (back.length === 0) return null;
  const commands = back.flatMap(({ steps }) => commandsIn(steps));
  const isOpen = commands.some(({ rollback, state }) => {
    return GOES_ON.has(state) || TO_UNDO.has(rollback?.state ?? '');
  });
  const hasFailed = commands.some(({ rollback }) => rollback?.state === 'failed');
  const state = hasFailed ? 'failed' : isOpen ? 'running' : 'succeeded';
  const action = countText(back);
  return { state, attempts: 0, message: null, startedAt: null, endedAt: null, action };
}

/** A step that waited for its turn does so no more. */
function atEnd(run: RunReport): RunReport {
  return run.state === 'pending' ? { ...run, state: 'not_run' } : run;
}

function viewRun(
  { state, attempts, message, progress }: RunReport,
  action: string,
  span: Span,
): StepView['normal'] {
  return { state, attempts, message: message ?? progressText(progress), ...span, action };
}

/** `copying, 40 % table 17`; null: it has said nothing. */
export function progressText(progress: RunReport['progress']): string | null {
  if (progress === undefined) return null;
  const { message, percent, state } = progress;
  const share = percent === undefined ? undefined : `${Math.floor(percent)} %`;
  const words = [share, message].filter((part) => part !== undefined).join(' ');
  return [state, words].filter(Boolean).join(', ');
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
