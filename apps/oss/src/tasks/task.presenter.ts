import {
  type Action,
  type ActionRun,
  type JsonObject,
  type PublicRetry,
  publicRetry,
  type RunState,
  type StepPlan,
  type StepRuns,
  statusName,
  type Task,
  type TaskStatusName,
} from '#core';

/** One half of a step, as people wrote it; times in seconds. */
export interface PublicAction {
  readonly module: string;
  readonly command: string;
  readonly timeout: number;
  readonly attemptTimeout?: number;
  readonly retry: PublicRetry;
  readonly parameters?: JsonObject;
}

/** How one half of a step is doing. */
export interface PublicRun {
  readonly state: RunState;
  readonly code: number;
  readonly message: string | null;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly attempts: number;
}

/** One step, as HTTP shows it. */
export interface PublicStep extends PublicRun {
  readonly name: string;
  readonly needs: readonly string[];
  readonly output: JsonObject | null;
  readonly normal: PublicAction;
  readonly rollback: (PublicAction & PublicRun) | null;
}

/** A task as its creator is answered. */
export interface TaskReceipt {
  readonly taskId: string;
  readonly flow: string;
  readonly flowVersion: number;
  readonly taskStatus: number;
  readonly status: TaskStatusName;
  readonly timeCreate: number;
}

/** The whole task, as HTTP shows it: camelCase, times in whole seconds since 1970. */
export interface PublicTask extends TaskReceipt {
  readonly taskMessage: string | null;
  readonly taskCursor: number;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly revision: number;
  readonly wakeAt: number | null;
  readonly steps: readonly PublicStep[];
}

/** What the creator of a task is answered. */
export function presentReceipt({ plan, status }: Task): TaskReceipt {
  const { taskId, flow, flowVersion, createdAt } = plan;
  const timeCreate = Math.floor(createdAt / 1_000);
  return { taskId, flow, flowVersion, taskStatus: status, status: statusName(status), timeCreate };
}

/** The whole task. */
export function presentTask(task: Task): PublicTask {
  const { plan, runs } = task;
  return {
    ...presentReceipt(task),
    taskMessage: task.message,
    taskCursor: task.cursor,
    timeStart: seconds(task.startedAt),
    timeEnd: seconds(task.endedAt),
    parameters: plan.parameters,
    labels: plan.labels,
    priority: plan.priority,
    revision: task.revision,
    wakeAt: seconds(task.wakeAt),
    steps: plan.steps.map((step, index) => presentStep(step, runs[index], plan.steps)),
  };
}

/** The tag of a task's revision. */
export function tagOf(task: Task): string {
  return `"${task.revision}"`;
}

/** One half of a step as flow files write it. */
export function presentAction(action: Action): PublicAction {
  const { module, command, timeoutMs, attemptTimeoutMs, retry, parameters } = action;
  return {
    module,
    command,
    timeout: timeoutMs / 1_000,
    ...(attemptTimeoutMs !== null && { attemptTimeout: attemptTimeoutMs / 1_000 }),
    retry: publicRetry(retry),
    ...(parameters !== null && { parameters }),
  };
}

/** Names of the steps that a step waits for. */
export function namesOfNeeds(step: StepPlan, steps: readonly StepPlan[]): readonly string[] {
  return step.needs.map((index) => steps[index]?.name ?? '');
}

function presentStep(
  step: StepPlan,
  runs: StepRuns | undefined,
  steps: readonly StepPlan[],
): PublicStep {
  // A task has one pair of runs per step, always; the type cannot say so.
  const { normal, rollback } = runs as StepRuns;
  return {
    name: step.name,
    needs: namesOfNeeds(step, steps),
    ...presentRun(normal),
    output: normal.output,
    normal: presentAction(step.normal),
    rollback:
      step.rollback === null || rollback === null
        ? null
        : { ...presentAction(step.rollback), ...presentRun(rollback) },
  };
}

function presentRun(run: ActionRun): PublicRun {
  return {
    state: run.state,
    code: run.code,
    message: run.message,
    timeStart: seconds(run.startedAt),
    timeEnd: seconds(run.endedAt),
    attempts: run.attempts,
  };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000);
}
