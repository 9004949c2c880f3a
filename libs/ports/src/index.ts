export type { AbortSignalLike } from './abort.js';
export { isUnreadableEntry, loggedEntry } from './audit-log.js';
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
  CommandRecord,
  DefinitionStore,
  FlowHead,
  FlowStanding,
  NewestVersion,
  PutOrder,
  PutResult,
  RetireResult,
  VersionEntry,
} from './definition-store.js';
export { checkDrill } from './drill-store.js';
export type { DrillRecord, DrillStore } from './drill-store.js';
export type { Entropy, IdPlace } from './entropy.js';
export type { Evaluator } from './evaluator.js';
export { EvaluatorUnavailable, InvalidCursor, isOutage } from './errors.js';
export { ProcessUnavailable, StoreDamaged, StoreUnavailable } from './errors.js';
export { TaskUnreadable, TransportUnavailable } from './errors.js';
export { nullWhereUnreadable, type RecordKind, RecordUnreadable } from './errors.js';
export {
  abilityOf,
  type ExecutorRecord,
  type ExecutorRegistry,
  stoppedRecord,
} from './executor-registry.js';
export { ExecutorTable } from './executor-table.js';
export type {
  DeliveryQuery,
  DeliveryRecord,
  DeliveryStore,
  NotificationChannel,
  NotificationKind,
  NotificationOrder,
  NotificationQuery,
  NotificationRecord,
  NotificationScope,
  NotificationStore,
  NotificationVersion,
} from './notification-store.js';
export type { FinalStore } from './final-store.js';
export type { FlowStore } from './flow-store.js';
export { FAULT_KINDS } from './fault-store.js';
export type { FaultKind, FaultPlace, FaultStore, FaultSwitch } from './fault-store.js';
export { checkFlow } from './flow-form.js';
export { checkKey } from './key-form.js';
export { ROLES, STORE_ID } from './key-store.js';
export type { KeyRecord, KeyStore, Role, RoleGrant } from './key-store.js';
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
export { NOTIFICATION_KINDS, TASK_NOTIFICATION_KINDS } from './notification-store.js';
export { readDelivery, readNotification } from './notification-form.js';
export { readOperation } from './operation-form.js';
export { checkAuditEntry, checkCommand, checkExecutor, checkFault } from './process-form.js';
export { checkSession } from './process-form.js';
export { NO_BEAT } from './session-store.js';
export { checkLockEntry } from './process-form.js';
export { Quarantine } from './quarantine.js';
export { storedUnder } from './record-form.js';
export { type RecordForm, RecordReader } from './record-reader.js';
export { readSchedule } from './schedule-form.js';
export { CATCH_UPS, OVERLAPS } from './schedule-store.js';
export { RUNNING_MAX, SPELLS_MAX, WAITING_MAX } from './schedule-store.js';
export type {
  CatchUp,
  MomentCounts,
  MomentSpell,
  Overlap,
  ScheduledStart,
  ScheduleOrder,
  ScheduleQuery,
  ScheduleRecord,
  ScheduleStore,
  ScheduleTiming,
  ScheduleVersion,
  SkipReason,
} from './schedule-store.js';
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
  SessionRecord,
  SessionState,
  SessionStore,
} from './session-store.js';
export { OPERATION_ACTIONS, OPERATION_STATUSES } from './operation-store.js';
export { OPERATION_EXAMPLES_MAX } from './operation-store.js';
export type {
  ApprovalRule,
  OperationAction,
  OperationConsent,
  OperationCount,
  OperationExample,
  OperationOrder,
  OperationProgress,
  OperationQuery,
  OperationRecord,
  OperationRequester,
  OperationStatus,
  OperationStore,
} from './operation-store.js';
export { sleepOn } from './sleep-on.js';
export { endsWithin, limited, type TimeLimit } from './time-limit.js';
export { isStatisticsBefore, readStatistics, statisticsId } from './statistics-store.js';
export type {
  DurationStatistics,
  StatisticsQuery,
  StatisticsRow,
  StatisticsSpan,
  StatisticsStore,
  StepStatistics,
} from './statistics-store.js';
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
  InsertResult,
  ListedTask,
  TaskFilter,
  TaskPage,
  TaskQuery,
  TaskStore,
  UnreadableTask,
  WalkedTask,
} from './task-store.js';
