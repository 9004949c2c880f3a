import type { HttpApi, HttpRoutes, Members } from '../../../../schemas/http-api.js';

export type { Json, JsonObject } from '../../../../schemas/http-api.js';

/** An answer of which others, or gateways of older builds, leave out some members. */
type Grown<Answer, Name extends keyof Answer> = Omit<Answer, Name> & Partial<Pick<Answer, Name>>;

/** An API key, without the key itself. */
export type KeyReport = HttpApi['Key'];

/** The limits of a module, and what runs and waits under them. */
export type LimitReport = HttpApi['ModuleLimits'];

/** How one half of a step is doing; times in seconds since 1970. */
export type RunReport = Pick<
  HttpApi['UndoAction'],
  'code' | 'message' | 'progress' | 'timeStart' | 'timeEnd' | 'attempts'
> & { readonly state: string };

/** One half of a step as flows write it. */
export type ActionReport = HttpApi['Action'];

/** One step of a task: a command and maybe its rollback, or a step that holds steps. */
export type StepReport = Members<HttpApi['Step']>;

/** A list of steps that a step of a task holds. */
export type ScopeReport = HttpApi['Scope'];

/** The answer to the creator of a task. */
export type TaskReceipt = HttpApi['TaskReceipt'];

/** A task as lists show it. */
export type TaskSummary = HttpApi['TaskSummary'];

/** The whole task. */
export type TaskReport = HttpApi['Task'];
/** The answer to a completion by a caller who reads no tasks. */
export type CompletedReport = HttpApi['CompletedRun'];

/** Something that happened to a task. */
export type TaskEvent = HttpApi['Event'];

/** A line that an attempt of a task wrote. */
export type LogLine = HttpApi['LogLine'];

/** A request for a task. */
export type TaskOrder = HttpApi['CreateTask'];

/** The answers to the requests for tasks of a batch, in their order. */
export type BatchReport = HttpApi['BatchResults'];

/** An entry of the audit log, or the number of one that cannot be read, and why. */
export type AuditItem = HttpApi['AuditPage']['items'][number];

/** An entry of the audit log. Times are ISO 8601. */
export type AuditReport = Exclude<AuditItem, HttpApi['UnreadableEntry']>;

/** One page of tasks. */
export type TaskPage = HttpApi['TaskPage'];

/** One flow as it is stored. */
export type FlowReport = Grown<HttpApi['Flow'], 'drill'>;

/** One step of a flow: a command and maybe its rollback, or a group of steps. */
export type FlowStepReport = Members<HttpApi['FlowStep']>;

/** One flow in a list. */
export type ListedFlow = Grown<
  HttpApi['Flows']['items'][number],
  'drill' | 'obstacle' | 'startable'
>;

/** The flows of a gateway. */
export interface FlowsReport {
  readonly items: readonly ListedFlow[];
  /** Absent: the gateway is of an older build. */
  readonly files?: HttpApi['Flows']['files'];
}

/** A mistake in a flow file of the gateway. */
export type FileProblemReport = HttpApi['Flows']['files']['problems'][number];

/** The answer to the author of a flow that was stored. */
export type StoredFlowReport = HttpApi['StoredFlow'];

/** One version of a flow in a list. */
export type VersionReport = HttpApi['FlowVersions']['items'][number];

/** How tasks and steps of a flow ended in a time span. */
export type FlowStatisticsReport = HttpApi['FlowStatistics'];

/** How one action of a flow did. */
export type StepStatisticsReport = HttpApi['StepStatistics'];

/** How two versions of a flow differ. */
export type DiffReport = HttpApi['FlowDiff'];

/** A member that is another one in the other version; absent: there is none. */
export type MemberReport = DiffReport['members'][number];

/** A value of a parameter, and where it is from. */
export type WrittenReport = HttpApi['Provenance'][string][number];

/** A step that a task of a flow would come to. */
export type PlannedStepReport = HttpApi['PlannedStep'];

/** One host of the inventory, as the executor `resource` answers it. */
export interface HostReport {
  readonly host: string;
  readonly cpu: Amount;
  readonly memory: Amount;
  readonly storage: Amount;
  readonly allocations: readonly {
    readonly taskId: string;
    readonly instance?: string;
    readonly cpu: number;
    readonly memory: number;
    readonly storage: number;
  }[];
}

/** How much there is of something. */
export interface Amount {
  readonly total: number;
  readonly free: number;
}

/** A lock that a person holds or waits for. */
export type LockReport = HttpApi['Locks']['items'][number];

/** One page of the attempts that run now. */
export type AttemptPage = HttpApi['Attempts'];

/** An executor that was heard of lately. */
export type ExecutorReport = HttpApi['Executors']['items'][number];

/** All executors, and the modules that none of them serves. */
export type ExecutorsReport = Grown<HttpApi['Executors'], 'unservedCommands'>;

/** Whether a gateway can do its work. */
export type ReadinessReport = HttpApi['Readiness'];

/** Why a task does not move. */
export type ExplanationReport = Grown<HttpApi['Explanation'], 'estimate'>;

/** One reason why a task does not move. */
export type CauseReport = ExplanationReport['causes'][number];

/** The plan of a rollback. */
export type PlanReport = Grown<HttpApi['RollbackPlan'], 'estimate'>;

/** One undo of a rollback that nobody has asked for. */
export type PlannedUndoReport = PlanReport['items'][number];

/** The course of an action, if it were done now. */
export type PreviewReport = HttpApi['Preview'];

/** The body of a request that stores a notification. */
export type NotificationOrderReport = HttpApi['PutNotification'];

/** A notification as the server shows it. Times are ISO 8601. */
export type NotificationReport = HttpApi['Notification'];

/** A message as the server shows it. Times are ISO 8601. */
export type DeliveryReport = HttpApi['Delivery'];

/** An action on all tasks that match a query. */
export type OperationOrder = Members<HttpApi['StartOperation']>;

/** An action on many tasks, as lists have it; times in ISO 8601. */
export type OperationSummary = Grown<
  HttpApi['OperationPage']['items'][number],
  'consent' | 'taskId'
>;

/** All of it. */
export type OperationReport = HttpApi['Operation'];

/** The body of a request that stores a schedule. */
export type ScheduleOrderReport = HttpApi['PutSchedule'];

/** A schedule as the server shows it. Times are ISO 8601. */
export type ScheduleReport = Grown<HttpApi['Schedule'], 'author' | 'updatedBy'>;

/** Moments in a row that fared alike. Times are ISO 8601. */
export type PastMomentsReport = HttpApi['ScheduleExplanation']['past'][number];

/** The actions that a person can take on a task. */
export type Verb = {
  [At in keyof HttpRoutes]: At extends `POST /v1/tasks/{taskId}:${infer Name}` ? Name : never;
}[keyof HttpRoutes];

/** Those whose request may have a member of this name. */
export type VerbWith<Member extends string> = {
  [V in Verb]: Member extends keyof HttpRoutes[`POST /v1/tasks/{taskId}:${V}`]['body'] ? V : never;
}[Verb];

/** The body and the guards of a request for a person's action. */
export type ActionOrder = Omit<
  Members<HttpRoutes[`POST /v1/tasks/{taskId}:${Verb}`]['body']>,
  'key'
> & {
  readonly key: string;
  /** Act only if the task is still at this revision. */
  readonly revision?: string;
};

/** How an attempt ended: with an output, or with an error. */
export type CompletionOrder = HttpApi['Complete'] & {
  /** Without a token: makes a repetition harmless. */
  readonly key?: string;
  /** Id of the run. */
  readonly run: string;
  /** Only if the task is still at this revision. */
  readonly revision?: string;
};

/** An error as RFC 9457 writes it, maybe by a server in between. */
export type ProblemReport = Grown<HttpApi['Problem'], 'detail' | 'instance'>;
