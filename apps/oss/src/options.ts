import type { Engine, SeenExecutor, TaskRemoval, WorkDesk } from '#engine';
import type { FlowChecker, FlowLibrary } from '#flow-files';
import type { AuditHeads, AuditTrail, Callers, RefusedSignIns, SignIn } from '#access';
import type { SignedTexts, TextSeal } from '#access';
import type { StatisticsObserver } from '#platform';
import type { FaultSwitches } from '#process';
import type {
  AdmissionRecord,
  ApprovalRule,
  AuditLog,
  ChangeStore,
  ChildStore,
  Clock,
  CommandRecord,
  CompletionTokens,
  DefinitionStore,
  Deliveries,
  DrillRecord,
  Entropy,
  Evaluator,
  ExecutorRecord,
  FlowSource,
  FlowStore,
  KeyRecord,
  LockStore,
  ModuleLimit,
  NotificationPosition,
  NotificationRecord,
  Observer,
  Operations,
  Records,
  ScheduleRecord,
  Secrets,
  SessionStore,
  StatisticsRow,
  StepTransport,
  StoreBackup,
  StoredProgress,
  TaskStore,
  WaitingAction,
} from '#ports';
import type { ConsoleFiles } from './console/console-files.js';
import type { OutputRecords } from './output/output-lines.js';
import type { ProgressView } from './output/progress-view.js';
import type { Guide } from './docs/guide.js';
import type { AnnouncedCommands } from './executors/announced-commands.js';
import type { FlowRooms } from './tasks/flow-rooms.js';

/** Under this name Nest finds what the gateway was made with. */
export const OSS_OPTIONS = Symbol('gateway options');

/** The flows that can be started now. */
export type FlowCatalogue = Pick<
  FlowLibrary,
  | 'defaults'
  | 'fileOf'
  | 'find'
  | 'findVersion'
  | 'isInFile'
  | 'isRetired'
  | 'list'
  | 'problems'
  | 'refresh'
>;

/** Signing in at an identity provider. */
interface ProviderSignIn {
  readonly at: Pick<SignIn, 'begin' | 'finish'>;
  /** Where the provider sends browsers back to; null: to the host that they asked. */
  readonly callback: string | null;
}

/** Parts that most areas of the gateway use: tasks and flows, and the work on them. */
export interface CommonParts {
  readonly engine: Pick<Engine, 'foresee' | 'operate' | 'submit' | 'watch'>;
  readonly store: Pick<TaskStore, 'countLive' | 'findByKey' | 'get' | 'insert' | 'list' | 'walk'>;
  /** Finds child tasks. */
  readonly children: Pick<ChildStore, 'find'>;
  /** Which tasks have changed. */
  readonly changes: ChangeStore;
  readonly flowStore: Pick<FlowStore, 'getFlow' | 'listFlows'>;
  readonly flows: FlowCatalogue;
  /** Checks parameters and flow files, and reads flows. */
  readonly checker: Pick<FlowChecker, 'checkFile' | 'checkInput' | 'checkOutput' | 'readFlow'>;
  /** Works out expressions of plans. */
  readonly evaluator: Evaluator;
  /** Seals and opens the secrets of tasks. */
  readonly secrets: Secrets;
  /** How far running attempts are, for answers that show tasks. */
  readonly progress: ProgressView;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'idOf' | 'newId'>;
  readonly observer: Observer;
}

/** The stored output and progress of attempts. */
export interface OutputParts {
  readonly output: OutputRecords;
  readonly progresses: Records<StoredProgress, 'changed' | 'task'>;
}

/** Further parts for requests about tasks. */
export interface TaskParts {
  /** The room for tasks of flows that bound it; the same for all that start tasks. */
  readonly rooms: FlowRooms;
  /** Removes final tasks; the same that retention uses. */
  readonly removal: TaskRemoval;
  /** Tells completion tokens from other texts. */
  readonly completionTokens: Pick<CompletionTokens, 'read'>;
  /** Most bytes of one task's parameters. */
  readonly maxParameters: number;
  /** Actions that need two people. */
  readonly approvals: readonly ApprovalRule[];
  /** Most event streams and waiting requests of one client. */
  readonly openPerClient: number;
  /** Tasks a second, by key or token; Infinity: no bound. */
  readonly tasksPerKey: number;
  /** Most tasks that are not final; more are not taken. */
  readonly maxLiveTasks: number;
}

/** Records about flows, and about the commands that they use. */
export interface FlowParts {
  readonly definitions: DefinitionStore;
  /** The members that flows inherit of commands. */
  readonly commandDefaults: Records<CommandRecord>;
  /** How versions of flows fared in their drills. */
  readonly drills: Records<DrillRecord, 'version'>;
  /** Versions of flows as their authors wrote them. */
  readonly sources: Records<FlowSource>;
  /** How flows did, as all processes stored it. */
  readonly statistics: Pick<Records<StatisticsRow, 'flow'>, 'list'>;
  /** The counts of flows of this process, also those that are not stored. */
  readonly counted: Pick<StatisticsObserver, 'rowsOf'>;
  /**
   * The known commands: those that executors and workers have announced, and those of this
   * process. Flow files are validated against them. Absent: nothing is known of commands.
   */
  readonly announced?: Pick<AnnouncedCommands, 'fresh' | 'now'>;
}

/** Parts that tell how the work of tasks stands: executors, messages and locks. */
export interface ExecutorParts {
  /** The executors that announced themselves lately, and what is known of their sessions now. */
  readonly executors: {
    list(): Promise<readonly ExecutorRecord[]>;
    seen(): Promise<readonly SeenExecutor[]>;
  };
  /** The switches of the lab that make steps go wrong; null: this process has none. */
  readonly faultSwitches: Pick<FaultSwitches, 'list' | 'put' | 'remove'> | null;
  /** Which processes live. */
  readonly sessions: Pick<SessionStore, 'listSessions'>;
  /** Tells what is in the way of messages, and how many wait. */
  readonly transport: Pick<StepTransport, 'depth' | 'obstacle' | 'receivers' | 'troubles'>;
  /** After how long the message of an action that nobody took is sent again at first. */
  readonly redispatchAfterMs: number;
  /** The lines of locks. */
  readonly locks: Pick<LockStore, 'listLines' | 'readLine'>;
}

/** Parts that keep the limits of modules. */
export interface LimitParts {
  readonly moduleLimits: Pick<Records<ModuleLimit>, 'get' | 'kind' | 'list' | 'put' | 'remove'>;
  /** The actions that count against them. */
  readonly admissions: Pick<Records<AdmissionRecord>, 'get'>;
  /** The actions that wait for them. */
  readonly waitingActions: Pick<Records<WaitingAction, 'line'>, 'list'>;
}

/** Parts for workers that ask for work over HTTP. */
export interface WorkParts {
  readonly desk: WorkDesk;
  /** Signs the claims that workers are given. */
  readonly claimTexts: Pick<SignedTexts, 'read' | 'sign'>;
}

/** Parts for actions on many tasks. */
export interface OperationParts {
  /** Actions on all tasks that match. */
  readonly operations: Operations;
  /** The operation of a process that was not heard of for so long is taken over, milliseconds. */
  readonly leaseMs: number;
  /** How often is looked for such operations, in milliseconds. */
  readonly governanceIntervalMs: number;
}

/** The part that starts tasks by the clock. */
export interface ScheduleParts {
  readonly schedules: Records<ScheduleRecord, 'due'>;
}

/** Parts that tell people of facts. */
export interface MessageParts {
  readonly notifications: Records<NotificationRecord>;
  /** How far the rules of notifications are. */
  readonly positions: Records<NotificationPosition>;
  readonly deliveries: Deliveries;
  /** Seals the secrets of channels. */
  readonly channelSeal: Pick<TextSeal, 'isByFirstKey' | 'seal' | 'unseal'>;
  /** Hosts and networks that messages may go to although they are not public. */
  readonly httpAllow: readonly string[];
  /** Whether e-mail may take its password to other machines in clear text. */
  readonly insecure: boolean;
  /** Origin of the gateway as people reach it, for links. Null, the default: none is known. */
  readonly publicUrl?: string | null;
}

/** Parts that know who sends a request, and keep what was done. */
export interface AccessParts {
  /** Ways to prove who asks, with commas, or `off`, as the API document has them. Absent: all. */
  readonly auth?: string;
  readonly keys: Records<KeyRecord, 'age'>;
  /** Knows whose API keys and tokens are, also those that were shown a while ago. */
  readonly keyRing: Pick<Callers, 'endSession' | 'forget' | 'isGood' | 'keep'>;
  /** How people sign in at an identity provider; null: nobody does. */
  readonly signIn: ProviderSignIn | null;
  readonly audit: Pick<AuditLog, 'readEntries'>;
  /** Signs the end of the audit log; null: there is no key for that. */
  readonly heads: Pick<AuditHeads, 'sign'> | null;
  /** Writes down what nobody asks for by a request. */
  readonly trail: Pick<AuditTrail, 'add'>;
  /** Writes down sign-ins at the provider that were refused. Default: nothing is written. */
  readonly refusedSignIns?: Pick<RefusedSignIns, 'note'>;
}

/** Parts that are served besides the interface. */
interface PageParts {
  /** Copies the store; null: it is a server, with tools of its own. */
  readonly backup: StoreBackup | null;
  /** Served under `/console/`, where `/` leads then. Absent: no console was built. */
  readonly console?: ConsoleFiles;
  /** The pages of the documentation. Absent: there are none. */
  readonly guide?: Guide;
  /** Whether `GET /` answers with an index of addresses where there is no console. */
  readonly index?: boolean;
}

/**
 * All parts and settings of the gateway; whoever starts it chooses the adapters. Each area asks for
 * the parts that it uses.
 */
export interface OssOptions
  extends
    CommonParts,
    OutputParts,
    TaskParts,
    FlowParts,
    ExecutorParts,
    LimitParts,
    WorkParts,
    OperationParts,
    ScheduleParts,
    MessageParts,
    AccessParts,
    PageParts {}

/** Bytes of a body that are not parameters. */
const BODY_OVERHEAD = 16 * 1024;

/** Largest body of a request for one task, in bytes; for `createHttpApp`. */
export function bodyLimitFor(maxParameters: number): number {
  return maxParameters + BODY_OVERHEAD;
}
