export type { AbortSignalLike } from './abort.js';
export { isUnreadableEntry, loggedEntry } from './audit-log.js';
export type { AttemptOutput, AttemptPlace, OutputLine, Progress } from './attempt-output.js';
export type { AuditAnchor, AuditEntry, AuditFact, AuditLog, AuditQuery } from './audit-log.js';
export type { LoggedEntry, UnreadableEntry } from './audit-log.js';
export type { Awaitable, Barrier, BarrierContext, Effect, TaskMarks, Undo } from './barrier.js';
export type { ChangeMark, ChangeQuery, ChangeStore } from './change-store.js';
export type { ChildQuery, ChildRange, ChildrenOf, ChildStore, FoundChild } from './child-store.js';
export type { Clock, Timer } from './clock.js';
export type {
  CommandCatalogue,
  CommandContext,
  CommandHandler,
  LeaveListener,
} from './command-handler.js';
export type { CommandLine, CommandLog, LineDetails, LineLevel } from './command-log.js';
export type { CompletionClaim, CompletionTokens, ReadToken } from './completion-tokens.js';
export { judgePut } from './definition-store.js';
export type {
  DefinitionStore,
  FlowHead,
  FlowStanding,
  NewestVersion,
  PutOrder,
  PutResult,
  RetireResult,
  VersionEntry,
} from './definition-store.js';
export { type DueShare, isInShare } from './due-share.js';
export type { Entropy, IdPlace } from './entropy.js';
export type { Evaluator } from './evaluator.js';
export { EvaluatorUnavailable, InvalidCursor, isOutage } from './errors.js';
export { ProcessUnavailable, StoreDamaged, StoreUnavailable } from './errors.js';
export { TaskUnreadable, TransportUnavailable } from './errors.js';
export { nullWhereUnreadable, RecordUnreadable } from './errors.js';
export {
  abilityOf,
  ANY_COMMAND,
  type ExecutorRecord,
  type ExecutorRegistry,
  mayHave,
  stoppedRecord,
} from './executor-registry.js';
export { ExecutorTable } from './executor-table.js';
export type { FinalStore } from './final-store.js';
export type { FlowStore } from './flow-store.js';
export { checkFlow } from './flow-form.js';
export { countHolding, holdingSince, isSameTicket, LINE_MAX } from './lock-store.js';
export type {
  LockEntry,
  LockLine,
  LockOrder,
  LockPlace,
  LockQuery,
  LockStore,
} from './lock-store.js';
export type { DeliveryNews, Notice, Observer } from './observer.js';
export { checkAuditEntry, checkExecutor } from './process-form.js';
export { checkSession } from './process-form.js';
export { NO_BEAT } from './session-store.js';
export { checkLockEntry } from './process-form.js';
export { Quarantine } from './quarantine.js';
export { storedUnder } from './record-form.js';
export { placeIn, type RecordIndex, recordKind, type RecordKind } from './record-kind.js';
export { COMMAND, commandId, type CommandRecord } from './record-kinds/command.js';
export { type Deliveries, DELIVERY, type DeliveryRecord } from './record-kinds/delivery.js';
export { DRILL, type DrillRecord } from './record-kinds/drill.js';
export { FAULT, FAULT_KINDS, faultId } from './record-kinds/fault.js';
export type { FaultKind, FaultPlace, FaultSwitch } from './record-kinds/fault.js';
export { RECORD_KINDS } from './record-kinds/index.js';
export { KEY, type KeyRecord, type Role, type RoleGrant, ROLES } from './record-kinds/key.js';
export {
  ADMISSION,
  MODULE_LIMIT,
  WAITING_ACTION,
  waitingId,
} from './record-kinds/module-limit.js';
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
export { type RecordForm, RecordReader } from './record-reader.js';
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
  SecretNotFound,
  type SecretPlace,
  type SecretResolver,
  type SecretRule,
  SecretStoreAway,
} from './secret-resolver.js';
export { CannotOpenSecret, NO_SECRETS, NoSecretKey, type Secrets } from './secrets.js';
export type {
  HeldPage,
  HeldQuery,
  SessionOrigin,
  SessionRecord,
  SessionState,
  SessionStore,
} from './session-store.js';
export { sleepOn } from './sleep-on.js';
export { endsWithin, limited, type TimeLimit } from './time-limit.js';
export type { StartedTasks } from './started-tasks.js';
export type { StoreBackup, TakenCopy } from './store-backup.js';
export { mostInHand } from './step-transport.js';
export type {
  Concurrency,
  Consumer,
  DeliveryHandler,
  DeliveryVerdict,
  Places,
  PublishOptions,
  QueueDepth,
  StepTransport,
  TransportTrouble,
  WaitingLine,
} from './step-transport.js';
export type { TaskArchive } from './task-archive.js';
export type { TaskSnapshots } from './task-snapshots.js';
export type { TracedAttempt, Tracer } from './tracer.js';
export { isUnreadable, PAGE_CHARACTERS } from './task-store.js';
export type {
  CommitResult,
  DueRange,
  InsertResult,
  ListedTask,
  TaskFilter,
  TaskPage,
  TaskQuery,
  TaskStore,
  UnreadableTask,
  WalkedTask,
} from './task-store.js';
