import type { JsonObject, Task, TaskStatus } from '#core';
import type { TaskSummary } from '#core/stored';
import type { SeenExecutor } from '#engine';
import type {
  AdmissionRecord,
  LockEntry,
  ModuleLimit,
  QueueDepth,
  SessionRecord,
  TransportTrouble,
} from '#ports';
import type { HiddenIds } from '../access/hidden-tasks.js';
import type { Estimate } from '../estimate/estimate.js';
import type { UsualTime } from '../estimate/usual-time.js';

/** Why a task does not move, or not yet. */
export type CauseCode =
  | 'ENDED'
  | 'PAUSED'
  | 'ON_HOLD'
  | 'HELD_UNTIL'
  | 'ROLLBACK_FAILED'
  | 'BROKER_AWAY'
  | 'STORE_SLOW'
  | 'MODULE_NOT_SERVED'
  | 'COMMAND_NOT_SERVED'
  | 'WORKERS_DRAINING'
  | 'MESSAGE_REFUSED'
  | 'NOT_SUBSCRIBED'
  | 'MODULE_AT_LIMIT'
  | 'QUEUE_DEEP'
  | 'DISPATCH_LOST'
  | 'QUEUED'
  | 'RETRY_LATER'
  | 'LOOKS_AGAIN'
  | 'WAITS_FOR_COMPLETION'
  | 'SECRET_STORE_AWAY'
  | 'WAITS_FOR_TIME'
  | 'WAITS_FOR_SIGNAL'
  | 'WAITS_FOR_APPROVAL'
  | 'WAITS_FOR_CHILDREN'
  | 'CHILD_STUCK'
  | 'PAST_PIVOT'
  | 'UNREADABLE'
  | 'WAITS_FOR_LOCK'
  | 'EXPRESSION_OPEN'
  | 'OWNER_LOST'
  | 'LEASE_ENDING'
  | 'RUNNING'
  | 'RUNNING_LONG'
  | 'RUNNING_LATE'
  | 'FAILURE_FLOW_WAITS'
  | 'FAILURE_FLOW_REFUSED'
  | 'DEADLINE_AT_RISK';

/** A remedy for a person: an action on the task, or something outside of it. */
export interface NextStep {
  /**
   * A verb of the API, or `wait`, `start_executor`, `check_broker`, `check_store`,
   * `check_executor`, `check_secrets`, `children`, `locks`, `why`, `start_flow`.
   */
  readonly action: string;
  readonly label: string;
  /** Of a rollback that cannot go all the way: the step to ask for. */
  readonly to?: string;
  /** The step that it is about, by the id of its run. */
  readonly step?: string;
  /** The child task at any depth, or the holder of a lock, that it is about; absent: the task. */
  readonly taskId?: string;
}

/** One reason. */
export interface Cause {
  readonly code: CauseCode;
  readonly message: string;
  /** ISO 8601; null: that is not known. */
  readonly since: string | null;
  /** The facts that it was told by. */
  readonly evidence: JsonObject;
  readonly next: readonly NextStep[];
}

/** Why a task stands where it stands. */
export interface Explanation {
  /** Something of it is being done right now, or will be without anybody's doing. */
  readonly moving: boolean;
  /** The most telling first. */
  readonly causes: readonly Cause[];
  /** There are more causes than are shown. */
  readonly isCut: boolean;
}

/** A live child task that was looked at. */
export interface LookedChild {
  readonly taskId: string;
  readonly flow: string;
  /** Number of its item. */
  readonly item: number | null;
  readonly status: TaskStatus;
  readonly explained: Pick<Explanation, 'causes' | 'moving'>;
}

/** The live child tasks of a step that were looked at. */
export interface LookedChildren {
  /** Those that wait for a person come first. */
  readonly children: readonly LookedChild[];
  /** There are others of which nothing is known. */
  readonly hasMore: boolean;
}

/** The limits of a module, and what counts against them; null: nothing has so far. */
export interface LimitStanding {
  readonly limit: ModuleLimit;
  readonly admission: AdmissionRecord | null;
}

/** The facts that are known besides the task itself. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly executors: readonly SeenExecutor[];
  /** Sessions of processes; null: they are not known now. */
  readonly sessions: readonly SessionRecord[] | null;
  /** Length of the queue of each module that has something queued. */
  readonly depths: ReadonlyMap<string, QueueDepth>;
  /** How many subscriptions the queue of each such module has. */
  readonly receivers: ReadonlyMap<string, number | null>;
  /** Why the broker has not taken the last message for a module, by their names. */
  readonly refusals: ReadonlyMap<string, TransportTrouble>;
  /** The limits of each such module that has any, with what counts against them. */
  readonly limits: ReadonlyMap<string, LimitStanding>;
  /** The lines of the locks that the task waits for, by their names. */
  readonly lines: ReadonlyMap<string, readonly LockEntry[]>;
  /** Of the tasks that hold these locks those that the reader does not see. */
  readonly hiddenHolders: HiddenIds;
  /** The tasks over which it waits for a lock of its own, the nearest first; empty: for none. */
  readonly ring: readonly string[];
  /** Those that the reader sees and that stand still until a person acts, by their ids. */
  readonly stillHolders: ReadonlyMap<string, TaskSummary>;
  /** Whether the reader is told how busy a module is, which tasks of all flows are. */
  readonly seesModule: (module: string) => boolean;
  /** After how long a message is sent again at first, in milliseconds. */
  readonly redispatchAfterMs: number;
  /** Why nothing can be sent now; null: nothing is in the way. */
  readonly brokerObstacle: string | null;
  /** How long the store took for this task, in milliseconds. */
  readonly storeMs: number;
  /** How long what is left of the task takes; null: it has ended. */
  readonly estimate: Estimate | null;
  /** How long the task's own steps take as a rule on the way that it goes, by name. */
  readonly usual: ReadonlyMap<string, UsualTime>;
  /** Its latest alert task, as far as that calls a person now; null: none does. */
  readonly alertTask: LookedChild | null;
  /** The child tasks of its steps that were looked at, by the places of these. */
  readonly below: ReadonlyMap<number, LookedChildren>;
}

/** A task in its surroundings: what reasons are found in. */
export interface Situation extends Surroundings {
  readonly task: Task;
}

/** The last moment that can be written, in milliseconds since 1970. */
const LAST_MS = 8.64e15;

/** A moment as reasons tell it; null: there is none, or, as for alerts, it never comes. */
export function moment(ms: number | null): string | null {
  return ms === null || ms > LAST_MS ? null : new Date(ms).toISOString();
}

/** How long ago something was, for people. */
export function ago(now: number, ms: number | null): string {
  if (ms === null) return 'a while';
  const seconds = Math.max(0, Math.round((now - ms) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Nothing has to be done. */
export const WAIT: NextStep = { action: 'wait', label: 'Wait: it goes on by itself' };

/** The cause lies in the broker, or on the way to it. */
export const CHECK_BROKER: NextStep = { action: 'check_broker', label: 'Check the broker' };

/** The remedy that begins with a look at the child tasks. */
export const CHILDREN: NextStep = { action: 'children', label: 'See the child tasks' };
