export { NESTING_MAX } from './kinds/dynamic.js';
export { DEFAULT_TIMEOUT_MS, NO_RETRY, RESTARTS_BACK, RESTARTS_FORWARD } from './flow/action.js';
export type { Action, CrashPolicy, RetryPolicy } from './flow/action.js';
export {
  type ActionRun,
  isActive,
  hasFailed,
  mayHaveEffect,
  type NormalState,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type RollbackState,
  type RunState,
  type StepRuns,
  UNDO_PENDING,
} from './task/action-run.js';
export { ALERT_ACTION } from './task/alert.js';
export { assertNever, invariant } from './assert.js';
export {
  childKey,
  childQuestion,
  childRequest,
  childSource,
  type ChildSource,
  partOfFlow,
} from './children/child-request.js';
export { type ChildRound, failedItems, numberOf, wholeTally } from './children/child-rounds.js';
export { childrenToTend, childRunsOf, tallyAt } from './children/children.js';
export type { ChildrenPlan } from './children/children.js';
export { askedIn, type Effect } from './transitions/effect.js';
export { createTask, endedTask, proposeTask, stepsToRun } from './transitions/create-task.js';
export { bothLimits, fitsAny, fitsPattern, refusalOfFlow } from './flow/start-limits.js';
export type { StartLimits } from './flow/start-limits.js';
export { actionOf, dispatchFor, nextAttempt, runOf } from './scopes/dispatch.js';
export { type ChildrenCounted, DEFAULT_TIMING, type FailureFlowTold } from './task/event.js';
export type {
  Claimed,
  CommandSets,
  Completed,
  HandedBack,
  Judged,
  Moment,
  PauseRequested,
  PersonsAction,
  ResumeRequested,
  RetryRequested,
  RollbackRequested,
  ResetRequested,
  SignalReceived,
  SkipRequested,
  TaskEvent,
  TerminateRequested,
  UndoRequested,
  Tick,
  Timing,
  WorkerOutcome,
} from './task/event.js';
export { lostReason } from './scopes/lost-claim.js';
export type { LeaseTerms } from './task/lease-terms.js';
export type { KnownReport, LostReason } from './task/worker-report.js';
export { FairLine } from './fair-line.js';
export { isHeldByTime } from './scopes/failed-steps.js';
export { firstRunsOf } from './task/first-runs.js';
export { failureKey, failureRequest, wantsFailureTask } from './children/failure-flow.js';
export {
  type AttemptFailure,
  FAILURE_CODES,
  failureName,
  type FailureName,
} from './task/failure.js';
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
export { LABELS_MAX, labelsQuestion, labelsWith, literalLabels } from './values/labels.js';
export { waitingTickets } from './locks/lock.js';
export { isLockName, LOCK_NAME_MAX, lockQuestion } from './locks/lock-names.js';
export { innerLists, planLists } from './flow/plan-lists.js';
export {
  type CalledFlow,
  calledFlow,
  makesSteps,
  planName,
  planValues,
  templatesOf,
} from './task/plan-values.js';
export { ancestorsOf, graphOf } from './flow/program.js';
export { Journal, JOURNAL_MAX } from './task/journal.js';
export type { Direction, JournalEntry, JournalKind } from './task/journal.js';
export type { JsonObject, JsonValue } from './json/json.js';
export { jsonSize } from './json/json-size.js';
export { directionOf, publicRetry } from './task/message.js';
export type { Dispatch, PublicRetry, StepMessage } from './task/message.js';
export { countWritten, stepsOfTask } from './flow/output-step.js';
export { type Outcome, refusal } from './task/outcome.js';
export { isOwnTraceparent, ownTraceparent, traceparentOf } from './task/trace-context.js';
export { childOutput, mergeParameters, outputAt, taskOutput } from './values/outputs.js';
export { CHILDREN_MAX, countChildren, RESULTS_MAX } from './task/parent.js';
export { childPath, FAILED_CHILD, HELD_CHILD, isFailureTask, itemNumber } from './task/parent.js';
export type {
  ChildCounts,
  ChildRef,
  ChildrenWish,
  ChildResult,
  ParentOfTask,
} from './task/parent.js';
export {
  type Approval,
  APPROVAL,
  approvalsAsked,
  checkWaits,
  readWait,
  waitsAsked,
  waitsForPerson,
  waitText,
} from './stored/approvals.js';
export { AWAITED_KINDS, awaitedBy, awaitedText, readAwaited } from './stored/awaited.js';
export { hasSameTerms, type SearchTerm, searchTermsOf } from './stored/search-terms.js';
export { isNotableChange } from './stored/notable-change.js';
export { hasNamedOutput, isHttpRequest } from './flow/named-output.js';
export { mergedParameters, taskLayers, parametersFor, resultsFor } from './values/parameters.js';
export type { ParameterLayer, Writer } from './values/parameters.js';
export {
  firstPlace,
  outermostPlace,
  scopeAt,
  stepAt,
  stepsIn,
  TASK,
  wantsAction,
} from './scopes/step-at.js';
export { roundsHeld } from './task/held-scopes.js';
export { heldAsWritten, heldAt, type HeldSteps } from './children/held-steps.js';
export { earlyEnd } from './scopes/early-step.js';
export { hasPassedPivot, pivotsOfTask } from './scopes/pivot.js';
export { scopeIndexOf, scopesOf } from './scopes/scope-index.js';
export { isRunId, labelOf, listNameOf, placeOf, placeOfStep, runIdOf } from './scopes/run-id.js';
export { NO_SCOPES, type Scope, type Turn } from './task/scope.js';
export { hasExpression } from './task/question.js';
export type {
  Answer,
  AnswerKind,
  AnswerValues,
  Question,
  QuestionMember,
  Scene,
} from './task/question.js';
export { KIND_NAMES, type KindName } from '#kinds';
export { declarationOf, isParentStep, kindOf } from './flow/step-kind.js';
export { isCaught } from './moves/recover.js';
export { growingDelay, spreadDelay } from './task/retry-delay.js';
export {
  calledOffIn,
  rollbackPlan,
  type ChildrenUndo,
  type CommandUndo,
  type PlannedUndo,
  type RollbackPlan,
} from './read/rollback-plan.js';
export {
  claimsReference,
  isReference,
  mapReferences,
  REFERENCE_FORM,
  REFERENCE_MEMBER,
  referenceParts,
  referencesIn,
  referencesKnownTo,
  referencesOf,
} from './secrets/secret-reference.js';
export { misplacedSecrets } from './secrets/misplaced-secrets.js';
export { changeSecrets, hasSecretInput } from './secrets/secret-members.js';
export {
  isSealed,
  mapMembers,
  mapTexts,
  MASK,
  maskSealed,
  maskValues,
  SEAL_MARK,
  sealedIn,
  sealOwner,
} from './secrets/sealed-value.js';
export { ALERT_MOVES, mayMove, NORMAL_MOVES, ROLLBACK_MOVES, TASK_MOVES } from './task/states.js';
export {
  FINAL_STATUSES,
  isFinal,
  LIVE_STATUSES,
  statusName,
  statusOf,
  TASK_STATUS,
  TASK_STATUS_NAMES,
} from './task/status.js';
export type { Standing, TaskStatus, TaskStatusName } from './task/status.js';
export type {
  DoneAction,
  Edit,
  FlowOfTask,
  OnlyStep,
  Task,
  TaskPlan,
  TaskStarter,
  TaskRequest,
} from './task/task.js';
export { DEFAULT_LIMITS, contentSize, type TaskLimits } from './task/task-size.js';
export { changedSteps, openActions } from './scopes/task-index.js';
export {
  asOneChange,
  conclude,
  dispatchesOf,
  propose,
  transition,
} from './transitions/transition.js';
export { parseJson } from './json/parse-json.js';
export { readThrown, textOfThrown } from './thrown.js';
export {
  DocumentFault,
  faultIn,
  isObject,
  readStoredJson,
  readList,
  type Rule,
  rulesOf,
  type Shape,
} from './json/shape.js';
export {
  ANYTHING,
  COUNT,
  DATE,
  FINITE,
  FLAG,
  LIST,
  listOf,
  MOMENT,
  NUMBERED,
  OBJECT,
} from './json/shape.js';
export { codecOf, JSON_ROWS, type Medium, type Stored } from './stored/codec.js';
export { ENTRY, PLAN, RUNS, SCOPE, TASK_FORM } from './stored/task-members.js';
export { formFault, formOf, nullable, plain, unless } from './stored/form.js';
export { oneOf, orAbsent, orNull, TEXT, TEXT_LIST, TEXTS, withMembers } from './json/shape.js';
export { stepsFault } from './stored/step-shape.js';
export { archivedTask } from './stored/archived-task.js';
export { putBack, readArchivedTask } from './stored/archived-task.js';
export { restsSince, restsSinceBefore } from './read/retention.js';
export { checkTask, limitsFault, taskFault } from './stored/task-shape.js';
export { revisionInSnapshot, snapshotOf, taskOfSnapshot } from './stored/task-snapshot.js';
export { summaryFault, summaryOf, type TaskSummary } from './stored/task-summary.js';
export type {
  Decision,
  Moved,
  Proposal,
  Proposed,
  QueuedAction,
} from './transitions/transition.js';
export { listNames } from './task/verdict.js';
export type { Refusal, Verdict } from './task/verdict.js';
export { ownersOf } from './read/owners.js';
export { timeOver, wakeTime } from './scopes/wake.js';
export { type PlannedStep, PlanWalk } from './read/plan-walk.js';
export { type LockPlan, SLOTS_MAX } from './flow/lock-plan.js';
export { type LockTicket } from './task/lock-ticket.js';
export { actionsIn } from './flow/plan-lists.js';
export type { ActionRef } from './task/action-ref.js';
export type { ChildTally } from './task/child-tally.js';
export { questionOf } from './kinds/question-of.js';
export { stepsUpTo } from './flow/only-step.js';
export type { TaskIndex } from './task/task-index.js';
export { ScopeIndex } from './task/scope-index.js';
