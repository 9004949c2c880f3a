import { advance, begin } from '../advance/advance.js';
import { invariant } from '../assert.js';
import { Change } from '../change/change.js';
import type { Moment } from '../task/event.js';
import { firstRunsOf } from '../task/first-runs.js';
import type { FlowDefinition, StepPlan } from '../flow/flow.js';
import { Journal } from '../task/journal.js';
import { stepsOfTask } from '../flow/output-step.js';
import { NO_SCOPES } from '../task/scope.js';
import { NO_REPORTS } from '../task/worker-report.js';
import { TASK_STATUS } from '../task/status.js';
import { indexOf } from '../scopes/task-index.js';
import type { Edit, FlowOfTask, OnlyStep, Task, TaskPlan, TaskRequest } from '../task/task.js';
import { conclude, type Moved, type Proposal, proposalOf } from './transition.js';
import { NO_LOCKS } from '../task/lock-ticket.js';
import { stepsUpTo } from '../flow/only-step.js';
import { FlowProgram } from '../flow/program.js';
import type { TaskIndex } from '../task/task-index.js';
import { TASK } from '../scopes/step-at.js';
import { normalOf } from '../task/action-ref.js';
import { runAt } from '../moves/scope-change.js';

const NO_SIGNALS: Task['signals'] = Object.freeze([]);
const NO_EDITS: readonly Edit[] = Object.freeze([]);

/** Options of a new task, besides its flow and its request. */
interface CreateOptions {
  readonly taskId: string;
  readonly moment: Moment;
}

/**
 * Expands a flow and a request into a new task with its first actions queued: status *not started*,
 * cursor 0, every step's code 0. The result's task is at revision 1 and not stored yet. A step that
 * is to run by itself must be one of the flow's.
 */
export function createTask(flow: FlowOfTask, request: TaskRequest, options: CreateOptions): Moved {
  return conclude(proposeTask(flow, request, options));
}

/** Like `createTask`, up to where claims on its first actions may be added. */
export function proposeTask(
  flow: FlowOfTask,
  request: TaskRequest,
  { taskId, moment }: CreateOptions,
): Proposal {
  const plan = expandPlan(flow, request, { taskId, createdAt: moment.now });
  const change = new Change(emptyTask(plan, request.hasSecrets), moment);
  change.note('created', { actor: request.actor, message: request.reason ?? undefined });
  if (plan.only === undefined) begin(change);
  else beginOnly(change, plan.only);
  return proposalOf(change);
}

/**
 * A task that was ended before it began, and so has done nothing, whatever its flow says. It has no
 * failure flow: nothing failed.
 */
export function endedTask(
  flow: FlowOfTask,
  request: TaskRequest,
  { moment, reason, taskId }: CreateOptions & { readonly reason: string },
): Task {
  const expanded = expandPlan(flow, request, { taskId, createdAt: moment.now });
  const plan = { ...expanded, failureFlow: null };
  const change = new Change(emptyTask(plan, request.hasSecrets), moment);
  change.note('created', { actor: request.actor });
  change.standing.message = reason;
  change.endTask('terminated');
  change.note('task_terminated', { message: reason });
  return change.finish();
}

function expandPlan(
  { definition, version }: FlowOfTask,
  request: TaskRequest,
  { createdAt, taskId }: Pick<TaskPlan, 'createdAt' | 'taskId'>,
): TaskPlan {
  const { timeoutMs, name } = definition;
  const { only } = request;
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
    onFailure: definition.onFailure ?? 'rollback',
    constants: definition.constants ?? null,
    restartOf: request.restartOf ?? null,
    parent: request.parent ?? null,
    locks: definition.locks ?? null,
    // A step that is tried by itself calls nobody.
    failureFlow: only === undefined ? (definition.failureFlow ?? null) : null,
    ...(definition.onTimeout !== undefined && { onTimeout: definition.onTimeout }),
    ...(only !== undefined && { only }),
    ...(request.references !== undefined && { references: request.references }),
    ...(request.limits !== undefined && { limits: request.limits }),
    ...(request.starter !== undefined && { starter: request.starter }),
    ...(request.origin !== undefined && { origin: request.origin }),
    steps: stepsToRun(definition, only),
  };
}

/** The steps of a flow's tasks, or of one that runs a single step: the flow must have that. */
export function stepsToRun(
  definition: FlowDefinition,
  only: Pick<OnlyStep, 'step'> | undefined,
): readonly StepPlan[] {
  if (only === undefined) return stepsOfTask(definition);
  const steps = stepsUpTo(definition, only.step);
  invariant(steps !== null, `flow ${definition.name} has no step ${only.step}`);
  return steps;
}

function emptyTask(plan: TaskPlan, hasSecrets = false): Task {
  return {
    plan,
    revision: 0,
    status: TASK_STATUS.not_started,
    way: 'forward',
    turned: null,
    hold: null,
    paused: null,
    outcome: null,
    message: null,
    cursor: 0,
    startedAt: null,
    endedAt: null,
    resetAt: null,
    edits: NO_EDITS,
    wakeAt: plan.createdAt,
    token: 0,
    runs: firstRunsOf(plan.steps),
    scopes: NO_SCOPES,
    alert: null,
    doneActions: [],
    signals: NO_SIGNALS,
    locks: NO_LOCKS,
    failureTask: null,
    hasSecrets,
    journal: Journal.of([]),
    journalSeq: 0,
    reports: NO_REPORTS,
    index: FlowProgram.of(plan.steps).kept(firstIndexOf),
  };
}

function firstIndexOf(steps: readonly StepPlan[]): TaskIndex {
  return indexOf({ runs: firstRunsOf(steps), scopes: NO_SCOPES });
}

/**
 * Starts the only step of a new task. The steps before it count as done, with the outputs that are
 * given for them: they have done nothing, so that nothing of them is undone.
 */
function beginOnly(change: Change, { given, step: name }: OnlyStep): void {
  const { steps } = change.plan;
  invariant(steps.at(-1)?.name === name, `${name} is not the only step`);
  for (let place = 0; place < steps.length - 1; place += 1) {
    const ref = normalOf(place);
    const before = steps[place]?.name ?? '';
    const output = Object.hasOwn(given, before) ? given[before] : undefined;
    change.end(ref, runAt(change, ref), 'skipped').output = output ?? null;
    change.noteRun('passed_over', ref, { message: `the task runs only ${name}` });
  }
  change.progress.plan(TASK, 'again');
  advance(change);
}
