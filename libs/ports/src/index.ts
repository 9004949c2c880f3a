export { isUnreadableEntry, loggedEntry } from './audit-log.js';
export type { AuditAnchor, AuditEntry, AuditFact, AuditLog, AuditQuery } from './audit-log.js';
export type { LoggedEntry, UnreadableEntry } from './audit-log.js';
export type { Awaitable, Barrier, BarrierContext, Effect, TaskMarks, Undo } from './barrier.js';
export type {
  ChangeMark,
  ChangeQuery,
  ChangeStore,
  ChildQuery,
  ChildRange,
  ChildrenOf,
  ChildStore,
  FinalStore,
  FoundChild,
} from './task-lists.js';
export {
  type AbortSignalLike,
  type Clock,
  endsWithin,
  type Entropy,
  type IdPlace,
  limited,
  sleepOn,
  timeOfRemovals,
  type TimeLimit,
  type Timer,
} from './time-and-chance.js';
export type {
  CommandCatalogue,
  CommandContext,
  CommandHandler,
  LeaveListener,
} from './command-handler.js';
export type {
  AttemptOutput,
  AttemptPlace,
  CommandLine,
  CommandLog,
  LineDetails,
  LineLevel,
  OutputLine,
  Progress,
} from './attempt-output.js';
export type { CompletionClaim, CompletionTokens, ReadToken } from './completion-tokens.js';
export {
  checkFlow,
  type DefinitionStore,
  type FlowHead,
  type FlowStore,
  type PutOrder,
  type PutResult,
  type RetireResult,
  type VersionEntry,
} from './definition-store.js';
export { type Evaluator, withFlowLabels } from './evaluator.js';
export { EvaluatorUnavailable, InvalidCursor, isOutage } from './errors.js';
export { ProcessUnavailable, StoreDamaged, StoreUnavailable } from './errors.js';
export { TaskUnreadable, TransportUnavailable } from './errors.js';
export { nullWhereUnreadable, RecordUnreadable } from './errors.js';
export {
  abilityOf,
  ANY_COMMAND,
  type ExecutorRecord,
  type ExecutorRegistry,
  type ExecutorSchemas,
  mayHave,
  stoppedRecord,
} from './executor-registry.js';
export { ExecutorTable } from './executor-table.js';
export { countHolding, holdingSince, isSameTicket } from './lock-store.js';
export type {
  LockEntry,
  LockLine,
  LockOrder,
  LockPlace,
  LockQuery,
  LockStore,
} from './lock-store.js';
export type { DeliveryNews, Notice, Observer, TracedAttempt, Tracer } from './observer.js';
export { checkAuditEntry, checkExecutor } from './process-form.js';
export { checkSession } from './process-form.js';
export { NO_BEAT } from './session-store.js';
export { checkLockEntry } from './process-form.js';
export {
  placeIn,
  type RecordIndex,
  recordKind,
  type RecordKind,
  storedUnder,
} from './record-kind.js';
export { SERVED, servedAsExecutor, type ServedRecord, servedWith } from './record-kinds/served.js';
export { COMMAND, commandId, type CommandRecord } from './record-kinds/command.js';
export { type Deliveries, DELIVERY, type DeliveryRecord } from './record-kinds/delivery.js';
export { DRILL, type DrillRecord } from './record-kinds/drill.js';
export { FLOW_SOURCE, type FlowSource, keepSource, sourceId } from './record-kinds/flow-source.js';
export { FAULT, FAULT_KINDS, faultId } from './record-kinds/fault.js';
export type { FaultKind, FaultPlace, FaultSwitch } from './record-kinds/fault.js';
export { RECORD_KINDS } from './record-kinds/index.js';
export { KEY, type KeyRecord, type Role, type RoleGrant, ROLES } from './record-kinds/key.js';
export { QUEUED_ACTION, type QueuedAction, queuedId } from './record-kinds/queued-action.js';
export { ADMISSION, MODULE_LIMIT, WAITING_ACTION, waitingId } from './record-kinds/module-limit.js';
export type {
  AdmissionRecord,
  AdmittedAction,
  ModuleLimit,
  TaskAction,
  WaitingAction,
} from './record-kinds/module-limit.js';
export { NOTIFICATION, NOTIFICATION_POSITION } from './record-kinds/notification.js';
export { NOTIFICATION_KINDS, TASK_NOTIFICATION_KINDS } from './record-kinds/notification.js';
export type {
  NotificationChannel,
  NotificationKind,
  NotificationOrder,
  NotificationPosition,
  NotificationRecord,
  NotificationScope,
} from './record-kinds/notification.js';
export { OPERATION, OPERATION_ACTIONS, OPERATION_STATUSES } from './record-kinds/operation.js';
export { OPERATION_EXAMPLES_MAX } from './record-kinds/operation.js';
export type {
  ApprovalRule,
  OperationAction,
  OperationConsent,
  OperationCount,
  OperationExample,
  OperationOrder,
  OperationProgress,
  OperationRecord,
  OperationRequester,
  Operations,
  OperationStatus,
} from './record-kinds/operation.js';
export { OUTPUT, outputId, outputPrefix, PROGRESS, progressId } from './record-kinds/output.js';
export type { OutputPart, StoredLine, StoredProgress } from './record-kinds/output.js';
export { CATCH_UPS, OVERLAPS, SCHEDULE } from './record-kinds/schedule.js';
export { RUNNING_MAX, SPELLS_MAX, WAITING_MAX } from './record-kinds/schedule.js';
export type {
  CatchUp,
  MomentCounts,
  MomentSpell,
  Overlap,
  ScheduledStart,
  ScheduleOrder,
  ScheduleRecord,
  ScheduleTiming,
  SkipReason,
} from './record-kinds/schedule.js';
export { SECRET, sharedSecret, STORE_ID } from './record-kinds/secret.js';
export { STATISTICS } from './record-kinds/statistics.js';
export type {
  DurationStatistics,
  StatisticsRow,
  StatisticsSpan,
  StepStatistics,
} from './record-kinds/statistics.js';
export { WORKER_DRAIN } from './record-kinds/worker-drain.js';
export { Quarantine, type RecordForm, RecordReader } from './record-reader.js';
export { allOf, pagesOf, placeOf, recordsOf } from './record-store.js';
export type {
  Previous,
  RecordPlace,
  RecordQuery,
  Records,
  RecordStore,
  Removed,
} from './record-store.js';
export {
  CannotOpenSecret,
  NO_SECRETS,
  NoSecretKey,
  SecretNotFound,
  type SecretPlace,
  type SecretResolver,
  type SecretRule,
  type Secrets,
  SecretStoreAway,
} from './secrets.js';
export type {
  HeldPage,
  HeldQuery,
  SessionOrigin,
  SessionRecord,
  SessionState,
  SessionStore,
} from './session-store.js';
export type { StoreBackup, TakenCopy, TaskArchive } from './store-backup.js';
export { mostInHand } from './step-transport.js';
export type {
  Concurrency,
  Consumer,
  Crowd,
  DeliveryHandler,
  DeliveryVerdict,
  Places,
  PublishOptions,
  QueueDepth,
  StepTransport,
  TransportTrouble,
  WaitingLine,
} from './step-transport.js';
export {
  type CommitResult,
  type DueRange,
  type DueShare,
  type InsertResult,
  isInShare,
  isUnreadable,
  type ListedTask,
  PAGE_CHARACTERS,
  type StartedTasks,
  type TaskFilter,
  type TaskPage,
  type TaskQuery,
  type TaskSnapshots,
  type TaskStore,
  type UnreadableTask,
  type WalkedTask,
} from './task-store.js';
