export { NESTING_MAX } from './kinds/dynamic.js';
export { DEFAULT_TIMEOUT_MS, NO_RETRY, RESTARTS_BACK, RESTARTS_FORWARD } from './action.js';
export type { Action, CrashPolicy, RetryPolicy } from './action.js';
export {
  FRESH_RUNS,
  isActive,
  mayHaveEffect,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  UNDO_PENDING,
} from './action-run.js';
export { ALERT_ACTION } from './alert.js';
export { assertNever, invariant } from './assert.js';
export {
  childKey,
  childQuestion,
  childRequest,
  childSource,
  type ChildSource,
  partOfFlow,
} from './child-request.js';
export { type ChildRound, failedItems, numberOf, wholeTally } from './child-rounds.js';
export { childrenToTend, childRunsOf, tallyAt } from './children.js';
export type { ChildrenPlan, ChildTally } from './children.js';
export { createTask, endedTask, proposeTask, stepsToRun } from './create-task.js';
export { bothLimits, fitsAny, fitsPattern, refusalOfFlow } from './start-limits.js';
export type { StartLimits } from './start-limits.js';
export { actionOf, dispatchFor, nextAttempt, runOf } from './dispatch.js';
export { DEFAULT_TIMING } from './event.js';
export type {
  ActionRef,
  Claimed,
  CommandSets,
  Completed,
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
} from './event.js';
export { FairLine } from './fair-line.js';
export { isHeldByTime } from './first-failure.js';
export { firstRunsOf } from './first-runs.js';
export { failureKey, failureRequest, wantsFailureTask } from './failure-flow.js';
export { FAILURE_CODES, failureName, type FailureName } from './failure.js';
export type {
  CatchClause,
  CommandStep,
  FailurePolicy,
  FlowDefinition,
  FlowVersion,
  ForeachStep,
  GroupStep,
  KindName,
  StepPlan,
  Template,
  Wait,
} from './flow.js';
export { LABELS_MAX, labelsQuestion, labelsWith, literalLabels } from './labels.js';
export { NO_LOCKS, SLOTS_MAX, waitingTickets } from './lock.js';
export type { LockNews, LockPlan, LockTicket, NamedLock } from './lock.js';
export { isLockName, LOCK_NAME_MAX, lockQuestion } from './lock-names.js';
export { ancestorsOf, graphOf } from './graph.js';
export { Journal, JOURNAL_MAX } from './journal.js';
export type { Direction, JournalEntry, JournalKind } from './journal.js';
export type { JsonObject, JsonValue } from './json.js';
export { jsonSize } from './json-size.js';
export { directionOf, publicRetry } from './message.js';
export type { Dispatch, PublicRetry, StepMessage } from './message.js';
export { stepsUpTo } from './only-step.js';
export { countWritten, stepsOfTask } from './output-step.js';
export { type Outcome, refusal } from './outcome.js';
export { isOwnTraceparent, ownTraceparent, traceparentOf } from './trace-context.js';
export { childOutput, mergeParameters, outputAt, taskOutput } from './outputs.js';
export { CHILDREN_MAX, countChildren, RESULTS_MAX } from './parent.js';
export { childPath, FAILED_CHILD, HELD_CHILD, isFailureTask, itemNumber } from './parent.js';
export type {
  ChildCounts,
  ChildRef,
  ChildrenCounted,
  ChildrenWish,
  ChildResult,
  FailureFlowTold,
  ParentOfTask,
} from './parent.js';
export { type Approval, approvalsAsked, readWait, waitsForPerson, waitText } from './approvals.js';
export { AWAITED_KINDS, type Awaited, awaitedBy, awaitedText, readAwaited } from './awaited.js';
export { isNotableChange } from './notable-change.js';
export { hasNamedOutput, isHttpRequest } from './named-output.js';
export { mergedParameters, taskLayers, parametersFor, resultsFor } from './parameters.js';
export type { ParameterLayer, Writer } from './parameters.js';
export {
  actionsIn,
  firstPlace,
  innerLists,
  outermostPlace,
  scopeAt,
  stepAt,
  stepsIn,
  TASK,
  wantsAction,
} from './places.js';
export { roundsHeld } from './held-scopes.js';
export { heldAsWritten, heldAt, type HeldSteps } from './held-steps.js';
export { earlyEnd } from './early-step.js';
export { hasPassedPivot, pivotsOfTask } from './pivot.js';
export { ScopeIndex, scopeIndexOf, scopesOf } from './scope-index.js';
export { isRunId, labelOf, listNameOf, placeOf, placeOfStep, runIdOf } from './run-id.js';
export { NO_SCOPES, type Cause, type Scope, type Turn } from './scope.js';
export { questionOf } from './scene.js';
export type { EarlySignal } from './signals.js';
export { hasExpression } from './question.js';
export type {
  Answer,
  AnswerKind,
  AnswerValues,
  Question,
  QuestionMember,
  Scene,
} from './question.js';
export { KIND_NAMES, kindOf } from './kinds/kind.js';
export { isCaught } from './recover.js';
export { growingDelay, spreadDelay } from './retry-delay.js';
export {
  calledOffIn,
  rollbackPlan,
  type ChildrenUndo,
  type CommandUndo,
  type PlannedUndo,
  type RollbackPlan,
} from './rollback-plan.js';
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
} from './secret-reference.js';
export { misplacedSecrets } from './misplaced-secrets.js';
export { changeSecrets, hasSecretInput } from './secret-members.js';
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
} from './sealed-value.js';
export { ALERT_MOVES, mayMove, NORMAL_MOVES, ROLLBACK_MOVES, TASK_MOVES } from './states.js';
export {
  FINAL_STATUSES,
  isFinal,
  LIVE_STATUSES,
  statusName,
  statusOf,
  TASK_STATUS,
  TASK_STATUS_NAMES,
} from './status.js';
export type { Hold, Pause, Standing, TaskOutcome, TaskStatus, TaskStatusName } from './status.js';
export type {
  ActionRun,
  DoneAction,
  Edit,
  FailureTask,
  FlowOfTask,
  NormalState,
  OnlyStep,
  RollbackState,
  RunState,
  StepRuns,
  Task,
  TaskPlan,
  TaskStarter,
  TaskRequest,
} from './task.js';
export { DEFAULT_LIMITS, contentSize, type TaskLimits } from './task-size.js';
export { changedSteps, openActions, type Tally } from './tally.js';
export { asOneChange, conclude, dispatchesOf, propose, transition } from './transition.js';
export { parseJson } from './parse-json.js';
export { readThrown, textOfThrown } from './thrown.js';
export {
  DocumentFault,
  faultIn,
  readStoredJson,
  readList,
  type Rule,
  rulesOf,
  type Shape,
} from './shape.js';
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
} from './shape.js';
export { runOfShort, shortRunOf } from './short-run.js';
export { oneOf, orAbsent, orNull, TEXT, TEXT_LIST, TEXTS, withMembers } from './shape.js';
export { stepsFault } from './step-shape.js';
export { archivedTask } from './archived-task.js';
export { putBack, readArchivedTask } from './archived-task.js';
export { restsSince, restsSinceBefore } from './retention.js';
export { checkTask, limitsFault, taskFault } from './task-shape.js';
export { revisionInSnapshot, snapshotOf, taskOfSnapshot } from './task-snapshot.js';
export { summaryFault, summaryOf, type TaskSummary } from './task-summary.js';
export type { Decision, Moved, Proposal, Proposed, QueuedAction } from './transition.js';
export { listNames } from './verdict.js';
export type { Refusal, Verdict } from './verdict.js';
export { ownersOf } from './owners.js';
export { timeOver, wakeTime } from './wake.js';
export { type PlannedStep, PlanWalk } from './plan-walk.js';
