export { isActive, NOTHING_TO_UNDO, PENDING_RUN, UNDO_PENDING, wasStarted } from './action-run.js';
export { ALERT_ACTION } from './alert.js';
export { assertNever, invariant } from './assert.js';
export { createTask } from './create-task.js';
export { actionOf, dispatchFor, nextAttempt } from './dispatch.js';
export { DEFAULT_TIMING } from './event.js';
export type {
  ActionRef,
  Claimed,
  Failed,
  HandedBack,
  Moment,
  NotFinished,
  PersonsAction,
  Renewed,
  Restarted,
  RetryRequested,
  RollbackRequested,
  SkipRequested,
  Succeeded,
  TaskEvent,
  TerminateRequested,
  Tick,
  TimedOut,
  Timing,
} from './event.js';
export { FAILURE_CODES, type FailureName } from './failure.js';
export { DEFAULT_TIMEOUT_MS, NO_RETRY } from './flow.js';
export type {
  Action,
  Backoff,
  FlowDefinition,
  FlowVersion,
  RetryPolicy,
  StepPlan,
} from './flow.js';
export { graphOf, type StepGraph } from './graph.js';
export { JOURNAL_MAX } from './journal.js';
export type { Direction, JournalEntry, JournalKind } from './journal.js';
export type { JsonObject, JsonValue } from './json.js';
export { directionOf, MESSAGE_TYPES, publicRetry } from './message.js';
export type { Dispatch, PublicRetry, StepMessage } from './message.js';
export type { Outcome } from './outcome.js';
export { mergeParameters, parameterLayers, parametersFor, parameterWriters } from './parameters.js';
export type { ParameterLayer, Writer } from './parameters.js';
export { redispatchDelay, retryDelay } from './retry-delay.js';
export { ALERT_MOVES, mayMove, NORMAL_MOVES, ROLLBACK_MOVES, TASK_MOVES } from './states.js';
export { isFinal, LIVE_STATUSES, statusName, TASK_STATUS, TASK_STATUS_NAMES } from './status.js';
export type { TaskStatus, TaskStatusName } from './status.js';
export type {
  ActionRun,
  DoneAction,
  FlowOfTask,
  Lease,
  NormalState,
  RollbackState,
  RunState,
  StepRuns,
  Task,
  TaskPlan,
  TaskRequest,
} from './task.js';
export { DEFAULT_LIMITS, contentSize, type TaskLimits } from './task-size.js';
export { transition } from './transition.js';
export type { Decision, HandOver, Moved, Offer } from './transition.js';
export type { IgnoreReason, Refusal, Verdict } from './verdict.js';
export { wakeTime } from './wake.js';
