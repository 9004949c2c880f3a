import { NOTHING_TO_UNDO, PENDING_RUN } from './action-run.js';
import { advance } from './advance.js';
import { Change } from './change.js';
import type { Moment } from './event.js';
import type { StepPlan } from './flow.js';
import { TASK_STATUS } from './status.js';
import type { FlowOfTask, StepRuns, Task, TaskPlan, TaskRequest } from './task.js';
import { concluded, type HandOver, type Moved, takeOver } from './transition.js';

// Tasks of one flow version start with the same runs; sharing them lets stores know them by
// identity.
const firstRuns = new WeakMap<readonly StepPlan[], readonly StepRuns[]>();

/** What a task is made with besides its flow and its request. */
export interface CreateOptions {
  readonly taskId: string;
  readonly moment: Moment;
  readonly handOver?: HandOver | undefined;
}

/**
 * Expands a flow and a request into a new task with its first messages: status *not started*,
 * cursor 0, every step's code 0. The result's task is at revision 1 and not stored yet.
 */
export function createTask(
  flow: FlowOfTask,
  request: TaskRequest,
  { taskId, moment, handOver }: CreateOptions,
): Moved {
  const plan = expandPlan(flow, request, { taskId, createdAt: moment.now });
  const change = new Change(emptyTask(plan), moment);
  change.note('created', { actor: request.actor });
  advance(change);
  if (handOver !== undefined) takeOver(change, handOver);
  return concluded(change);
}

function expandPlan(
  { definition, version }: FlowOfTask,
  request: TaskRequest,
  { createdAt, taskId }: Pick<TaskPlan, 'createdAt' | 'taskId'>,
): TaskPlan {
  const { timeoutMs, name, steps } = definition;
  return {
    v: 1,
    taskId,
    flow: name,
    flowVersion: version,
    createdAt,
    parameters: request.parameters,
    labels: request.labels ?? {},
    priority: request.priority ?? 0,
    idempotencyKey: request.idempotencyKey ?? null,
    requestHash: request.requestHash ?? null,
    deadline: timeoutMs === null ? null : createdAt + timeoutMs,
    traceparent: request.traceparent ?? null,
    steps,
  };
}

function emptyTask(plan: TaskPlan): Task {
  return {
    plan,
    revision: 0,
    status: TASK_STATUS.not_started,
    message: null,
    cursor: 0,
    startedAt: null,
    endedAt: null,
    wakeAt: plan.createdAt,
    token: 0,
    runs: runsFor(plan.steps),
    alert: null,
    alertStep: null,
    doneActions: [],
    journal: [],
    journalSeq: 0,
  };
}

function runsFor(steps: readonly StepPlan[]): readonly StepRuns[] {
  const found = firstRuns.get(steps);
  if (found !== undefined) return found;
  const runs = steps.map(({ rollback }) => ({
    normal: PENDING_RUN,
    rollback: rollback === null ? null : NOTHING_TO_UNDO,
  }));
  firstRuns.set(steps, runs);
  return runs;
}
