import type { Children } from '#kinds';
import type { HttpApi, HttpRoutes, Json, JsonObject } from '../../../../schemas/http-api.js';

/** An entry of the audit log: an action that was done or refused. */
export type AuditEntry = HttpApi['AuditEntry'];

/** In the place of an entry that cannot be read. */
export type UnreadableEntry = HttpApi['UnreadableEntry'];

/** An entry of the audit log, or the number of one that cannot be read. */
export type AuditItem = AuditEntry | UnreadableEntry;

/** How a version of a flow fared in its last drill. */
export type Drill = HttpApi['Drill'];

/** How a step is made to go wrong by a switch of the lab. */
export const FAULT_KINDS = ['fail_once', 'fail_always', 'slow', 'crash'] as const;

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A switch that is on. */
export interface Fault {
  readonly flow: string;
  readonly step: string;
  readonly kind: FaultKind;
}

/** The result of a check of flows. */
export type Validation = HttpApi['Validation'];

/** Something wrong with the text of a flow, or worth knowing of it. */
export type FlowProblem = Validation['problems'][number];

/** A step that a task would come to. */
export type PlannedStep = HttpApi['PlannedStep'];

/** The steps that a task of a flow would run. */
export type FlowPlan = HttpApi['FlowPlan'];

/** Flows, and the mistakes in flow files. */
export type FlowList = HttpApi['Flows'];

/** A mistake in a flow file. */
export type FileProblem = FlowList['files']['problems'][number];

/** The values that flows inherit for a command. */
export type CommandDefaults = HttpApi['Commands']['items'][number];

/** How two versions of a flow differ. */
export type FlowDiff = HttpApi['FlowDiff'];

/** A member with another value; a value that is absent: the member is. */
export type MemberChange = FlowDiff['members'][number];

/** A rule of notification. Members of the channel depend on its type; secrets are masked. */
export type Notification = HttpApi['Notification'];

/** The members of a channel, whatever its type. */
export interface ChannelMembers {
  readonly type: string;
  readonly url?: string;
  readonly secret?: string;
  readonly routingKey?: string;
  readonly server?: string;
  readonly from?: string;
  readonly to?: readonly string[];
}

/** A message of a notification. Moments are ISO 8601. */
export type Delivery = HttpApi['Delivery'];

/** An action on many tasks, as lists have it. Moments are ISO 8601. */
export type ListedOperation = HttpApi['OperationPage']['items'][number];

/** All of it. */
export type Operation = HttpApi['Operation'];

type Preview = HttpApi['Preview'];

/** The course of an action on a task if it were done now. */
export interface Course extends Omit<Preview, 'action' | 'estimate' | 'undoes'> {
  readonly undoes: readonly PlannedUndo[];
  readonly estimate: Estimate | null;
}

/** An action that starts at once. */
export type PlannedStart = Course['starts'][number];

/** An undo that follows. */
export type PlannedUndo = Pick<
  Preview['undoes'][number],
  'taskId' | 'step' | 'id' | 'module' | 'command' | 'served'
>;

/** A step of a task, or of a task below it. */
export type PlannedPlace = Course['leftOver'][number];

/** Each parameter's values, the oldest first; the last one holds now. */
export type Provenance = HttpApi['Provenance'];

/** A value that a parameter had. */
export type WrittenValue = Provenance[string][number];

/** The writer of a value: a step with the id of its run, a person by name. */
export type Writer = WrittenValue['writer'];

/** How tasks and steps of a flow ended in a time span. */
export type FlowStatistics = HttpApi['FlowStatistics'];

/** The same of tasks alone, in one hour or day of it. */
export type StatisticsInterval = HttpApi['StatisticsInterval'];

/** How one action of a flow did. */
export type StepStatistics = HttpApi['StepStatistics'];

export type { Json, JsonObject } from '../../../../schemas/http-api.js';

/**
 * The part of the answers that the pages read, as a type of its own where a step or a task is read
 * whatever its kind. `client.ts` has the compiler hold each against the answer that it comes from.
 */

/** How an action of a step is doing. Times in seconds since 1970. */
export interface Run extends Pick<
  HttpApi['UndoAction'],
  'code' | 'message' | 'timeStart' | 'timeEnd' | 'attempts'
> {
  readonly state: string;
  /** The news from people or other systems that it waits for. */
  readonly waitsFor?: 'approval' | 'signal' | 'completion';
  /** The values of the parameters' expressions, once they were worked out. */
  readonly values?: JsonObject;
}

/** One half of a step, as its author wrote it. Times in seconds. */
export interface Action {
  readonly module: string;
  readonly command: string;
  readonly timeout?: number;
  readonly retry?: Json;
  readonly parameters?: JsonObject;
}

/** A list of steps that goes forward or back by itself: a try, a branch, a round, a case. */
export interface Scope {
  readonly kind: string;
  readonly name: string;
  readonly way: 'forward' | 'back';
  readonly steps: readonly Step[];
}

/** A step of a task. */
export interface Step extends Run {
  readonly name: string;
  readonly kind: string;
  readonly id: string;
  readonly needs: readonly string[];
  readonly generation: number;
  readonly pivot?: true;
  readonly output: Json;
  readonly normal?: Action;
  readonly rollback?: (Action & Run) | null;
  readonly scopes?: readonly Scope[];
  /** A step that waits: for a signal, where it has that. */
  readonly wait?: { readonly signal?: string; readonly for?: Json; readonly until?: Json };
  readonly children?: Children;
}

/** An action of a person on a task: as its address ends, or the completion of a step. */
export type Verb =
  | 'complete'
  | {
      [At in keyof HttpRoutes]: At extends `POST /v1/tasks/{taskId}:${infer Name}` ? Name : never;
    }[keyof HttpRoutes];

/** Why a task does not move. */
export type Explanation = HttpApi['Explanation'];

/** How long something takes. */
type Estimate = Pick<HttpApi['Estimate'], 'message' | 'p50'>;

/** A task as a list shows it. */
export interface Summary extends Omit<
  HttpApi['TaskSummary'],
  'status' | 'taskCursor' | 'taskStatus' | 'wakeAt'
> {
  readonly status: string;
  /** In lists alone: how far it is; absent: nobody has said so. */
  readonly progress?: HttpApi['TaskProgress'];
}

/** A step that asks for an approval; an empty list of roles lets everybody answer who may act. */
export type Approval = HttpApi['Approval'];

/** A task whose document cannot be read. */
export type Unreadable = HttpApi['UnreadableTask'];

/** How tasks were counted by when they were created, as the interface says it. */
export interface Counted {
  readonly total: number;
  readonly isComplete: boolean;
  readonly intervals?: readonly {
    /** Seconds since 1970. */
    readonly at: number;
    readonly counts: Readonly<Record<string, number>>;
  }[];
}

/** A whole task. */
export interface Task
  extends
    Summary,
    Pick<HttpApi['Task'], 'hold' | 'input' | 'lastError' | 'only' | 'parameters' | 'paused'>,
    Pick<HttpApi['Task'], 'restartOf' | 'wakeAt'>,
    Partial<Pick<HttpApi['Task'], 'failureFlow' | 'output'>> {
  readonly steps: readonly Step[];
}

/** One entry of a task's journal. */
export type TaskEvent = HttpApi['Event'];

/** A step of a flow; what makes it is a member of its own name: `normal`, `group`, `choice`... */
export interface FlowStep {
  readonly name: string;
  readonly needs?: readonly string[] | undefined;
  readonly normal?: Action;
  readonly rollback?: Action | null;
  readonly [member: string]: unknown;
}

/** One version of a flow. */
export interface Flow
  extends
    Pick<HttpApi['Flow'], 'description' | 'name' | 'timeCreate' | 'timeout' | 'version'>,
    Partial<Pick<HttpApi['Flow'], 'maxLive'>> {
  readonly input: InputSchema | null;
  readonly startable?: boolean;
  /** Why a task of it would be refused now; null: nothing. */
  readonly obstacle?: { readonly message: string } | null;
  /** Null: no version up to this one was drilled. */
  readonly drill?: Drill | null;
  /** The flow file that defines it; null: requests store it. */
  readonly file?: string | null;
  readonly steps: readonly FlowStep[];
}

/** The part of JSON Schema that a form can show; the gateway checks all of it. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | object;
}

/** A member of a flow's input. */
export interface MemberSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly secret?: boolean;
}

/** An error as every answer tells it. */
export type ProblemBody = HttpApi['Problem'];

/** A task that holds a lock, or waits for it. `since` is ISO 8601. */
export type LockPlace = Lock['holders'][number];

/** A lock that somebody holds or waits for. */
export type Lock = HttpApi['Locks']['items'][number];

/** The limits of a module, and what runs and waits under them. */
export type ModuleLimit = HttpApi['ModuleLimits'];

/** A schedule, which starts tasks by the clock. Moments are ISO 8601. */
export type Schedule = HttpApi['Schedule'];

/** The processes that serve modules, and what flows use that none of them has. */
export type Executors = HttpApi['Executors'];

/** A process that serves a module. Moments are ISO 8601. */
export type Executor = Executors['items'][number];

/** Somebody who is signed in. */
export type Caller = Omit<HttpApi['Caller'], 'may'> & {
  /** Roles of which they have the rights; a newer server may name others. */
  readonly may?: readonly string[];
};
