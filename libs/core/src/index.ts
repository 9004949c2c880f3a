export { assertNever, invariant } from './assert.js';
export type { EndedAlert } from './change/alert-change.js';
export { FairLine } from './fair-line.js';
export {
  type Action,
  type CrashPolicy,
  DEFAULT_TIMEOUT_MS,
  NO_RETRY,
  RESTARTS_BACK,
  RESTARTS_FORWARD,
  type RetryPolicy,
} from './flow/action.js';
export type {
  CatchClause,
  CommandStep,
  FailurePolicy,
  FlowDefinition,
  FlowVersion,
  StepOf,
  StepPlan,
  Template,
  TryEach,
} from './flow/flow.js';
export type { JsonObject, JsonValue } from './json/json.js';
export { NESTING_MAX } from './kinds/dynamic.js';
export { questionOf } from './kinds/question-of.js';
export { isCaught } from './moves/recover.js';
export type { ActionRef } from './task/action-ref.js';
export {
  type ActionRun,
  hasFailed,
  isActive,
  mayHaveEffect,
  type NormalState,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type RollbackState,
  type RunState,
  type StepRuns,
  UNDO_PENDING,
} from './task/action-run.js';
export type { ChildTally } from './task/child-tally.js';
export {
  type AlertTold,
  type CommandSets,
  DEFAULT_TIMING,
  type HandedBack,
  type Moment,
  type PersonsAction,
  type EventOf,
  type TaskEvent,
  type Timing,
  type WorkerOutcome,
} from './task/event.js';
export {
  type AttemptFailure,
  FAILURE_CODES,
  failureName,
  type FailureName,
} from './task/failure.js';
export { firstRunsOf } from './task/first-runs.js';
export { roundsHeld } from './task/held-scopes.js';
export {
  type Direction,
  Journal,
  JOURNAL_MAX,
  type JournalEntry,
  type JournalKind,
} from './task/journal.js';
export { type LeaseTerms, WORK_LEASE_MS } from './task/lease-terms.js';
export type { LockTicket } from './task/lock-ticket.js';
export {
  directionOf,
  type Dispatch,
  publicRetry,
  type PublicRetry,
  type StepMessage,
} from './task/message.js';
export { cutText, type Outcome, readThrown, refusal, textOfThrown } from './task/outcome.js';
export {
  ALERT_FLOW,
  ALERT_RUN,
  type ChildCounts,
  childPath,
  type ChildRef,
  CHILDREN_MAX,
  type ChildrenWish,
  type ChildResult,
  countChildren,
  FAILED_CHILD,
  FAILURE_RUN,
  HELD_CHILD,
  isAlertTask,
  isOwedTask,
  itemNumber,
  type ParentOfTask,
  RESULTS_MAX,
} from './task/parent.js';
export {
  calledFlow,
  type CalledFlow,
  makesSteps,
  planName,
  planValues,
  templatesOf,
} from './task/plan-values.js';
export {
  type Answer,
  type AnswerKind,
  type AnswerValues,
  askedOf,
  hasExpression,
  type Question,
  type QuestionMember,
  type Scene,
} from './task/question.js';
export { growingDelay, spreadDelay } from './task/retry-delay.js';
export { ScopeIndex } from './task/scope-index.js';
export { NO_SCOPES, type Scope, type Turn } from './task/scope.js';
export { mayMove, NORMAL_MOVES, ROLLBACK_MOVES, TASK_MOVES } from './task/states.js';
export {
  FINAL_STATUSES,
  isFinal,
  LIVE_STATUSES,
  type Standing,
  statusName,
  statusOf,
  TASK_STATUS,
  TASK_STATUS_NAMES,
  type TaskStatus,
  type TaskStatusName,
} from './task/status.js';
export type { TaskIndex } from './task/task-index.js';
export { contentSize, DEFAULT_LIMITS, type TaskLimits } from './task/task-size.js';
export {
  type DoneAction,
  type Edit,
  type FlowOfTask,
  type OnlyStep,
  ORIGIN_NAMES,
  type Task,
  type TaskOrigin,
  type TaskPlan,
  type TaskRequest,
  type TaskStarter,
} from './task/task.js';
export { isOwnTraceparent, ownTraceparent, traceparentOf } from './task/trace-context.js';
export { listNames, type Refusal, type Verdict } from './task/verdict.js';
export type { KnownReport, LostReason } from './task/worker-report.js';
export { KIND_NAMES, type KindName } from '#kinds';
