/** Any JSON value that the command line only passes on. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An API key, without the key itself. */
export interface KeyReport {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly flows: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly modules: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly usedAt: string | null;
}

/** How one half of a step is doing; times in seconds since 1970. */
export interface RunReport {
  readonly state: string;
  readonly code: number;
  readonly message: string | null;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly attempts: number;
}

/** One half of a step as flows write it. */
export interface ActionReport {
  readonly module: string;
  readonly command: string;
  readonly timeout: number;
  /** Seconds; absent: an attempt has all the time there is. */
  readonly attemptTimeout?: number;
  readonly retry: unknown;
  readonly onCrash: unknown;
  readonly parameters?: JsonObject;
}

/** One step of a task: a command and maybe its rollback, or a step that holds steps. */
export interface StepReport extends RunReport {
  readonly name: string;
  /** Of its present run: unique in the task for ever. */
  readonly id: string;
  /** 1; one more with every reset. */
  readonly generation: number;
  readonly kind: string;
  readonly needs: readonly string[];
  readonly output: JsonObject | null;
  /** It is a point of no return. */
  readonly pivot?: boolean;
  /** Absent where it holds steps. */
  readonly normal?: ActionReport;
  readonly rollback?: (ActionReport & RunReport) | null;
  /** Present where it holds steps: those that it entered. */
  readonly scopes?: readonly ScopeReport[];
}

/** A list of steps that a step of a task holds. */
export interface ScopeReport {
  readonly kind: string;
  readonly name: string;
  readonly way: string;
  readonly steps: readonly StepReport[];
}

/** The answer to the creator of a task. */
export interface TaskReceipt {
  readonly taskId: string;
  readonly flow: string;
  readonly flowVersion: number;
  readonly taskStatus: number;
  readonly status: string;
  readonly timeCreate: number;
}

/** A task as lists show it. */
export interface TaskSummary extends TaskReceipt {
  readonly taskMessage: string | null;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly revision: number;
}

/** An entry of a list for a task whose document cannot be read; its status says so. */
interface UnreadableTask {
  readonly taskId: string;
  readonly status: string;
  readonly reason: string;
}

/** The whole task. */
export interface TaskReport extends TaskSummary {
  /** Parameters of the request. */
  readonly input: JsonObject;
  /** Parameters of the request, merged with the results of the steps so far. */
  readonly parameters: JsonObject;
  /** Present on hold: `by` a person, or `flow`; `until` in seconds since 1970. */
  readonly hold: {
    readonly by: string;
    readonly reason: string;
    readonly until: number | null;
  } | null;
  /** The step that failed last, of those that have not succeeded since; null: the whole task. */
  readonly lastError: {
    readonly step: string | null;
    readonly code: string;
    readonly message: string | null;
  } | null;
  readonly steps: readonly StepReport[];
}

/** Something that happened to a task. */
export interface TaskEvent {
  readonly seq: number;
  /** ISO 8601 with milliseconds. */
  readonly at: string;
  readonly kind: string;
  readonly step?: string;
  /** Id of that step's run, where it is not the step's name. */
  readonly run?: string;
  readonly direction?: 'normal' | 'rollback' | 'alert';
  readonly attempt?: number;
  readonly actor: string;
  readonly message?: string;
  /** Of a failed attempt: refused before its command was entered, so there is nothing to undo. */
  readonly refused?: true;
}

/** A request for a task. */
export interface TaskOrder {
  readonly flow: string;
  readonly parameters?: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly priority?: number;
  /** Name of the one step to run. */
  readonly only?: string;
  /** Outputs of steps before it, by their names. */
  readonly given?: Readonly<Record<string, JsonObject>>;
}

/** One page of tasks. */
export interface TaskPage {
  readonly items: readonly (TaskSummary | UnreadableTask)[];
  readonly page: { readonly nextCursor: string | null };
}

/** One flow as it is stored. */
export interface FlowReport {
  readonly name: string;
  readonly version: number;
  readonly timeCreate: number;
  readonly description: string | null;
  readonly input: JsonObject | null;
  readonly timeout: number | null;
  /** Absent: any number of its tasks may be live. */
  readonly maxLive?: number;
  /** Null: no version up to this one was drilled. Absent: the gateway is of an older build. */
  readonly drill?: DrillReport | null;
  /** Only in lists: whether a new task of it can be made. */
  readonly startable?: boolean;
  readonly steps: readonly FlowStepReport[];
}

/** How a version of a flow fared in its last drill. */
interface DrillReport {
  readonly version: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly passed: boolean;
  readonly failures: number;
  readonly total: number;
}

/** One step of a flow: a command and maybe its rollback, or a group of steps. */
export interface FlowStepReport {
  readonly name: string;
  readonly needs: readonly string[];
  /** Absent where it is a group. */
  readonly normal?: ActionReport;
  readonly rollback?: ActionReport | null;
  readonly group?: readonly FlowStepReport[];
  /** Of a group: retries at once, or attempts in all and waits. */
  readonly retry?: number | { readonly attempts: number };
  readonly timeout?: number | null;
}

/** One host of the inventory. */
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

/** A lock that somebody holds or waits for. */
export interface LockReport {
  readonly name: string;
  readonly slots: number;
  readonly holders: readonly { readonly taskId: string; readonly since: string }[];
  /** The first comes next. */
  readonly waiting: readonly { readonly taskId: string; readonly since: string }[];
}

/** An executor that was heard of lately. */
export interface ExecutorReport {
  readonly module: string;
  readonly instance: string;
  readonly host: string;
  readonly version: string;
  readonly commands: readonly { readonly name: string; readonly parameters: object | null }[];
  readonly since: string;
  readonly lastSeen: string;
  /** ISO 8601: since when it has owed a sign of life; null: it owes none. */
  readonly silentSince: string | null;
  readonly busy: number;
  readonly slots: number;
}

/** How long something takes. */
export interface EstimateReport {
  /** For people. */
  readonly message: string;
}

/** How many tasks there are. */
export interface CountReport {
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly isComplete: boolean;
}

/** One reason why a task does not move. */
export interface CauseReport {
  readonly code: string;
  readonly message: string;
  readonly since: string | null;
  readonly evidence: JsonObject;
  readonly next: readonly { readonly action: string; readonly label: string }[];
}

/** Why a task does not move. */
export interface ExplanationReport {
  readonly moving: boolean;
  readonly causes: readonly CauseReport[];
  /** Null: the task has ended. Absent: the gateway is of an older build. */
  readonly estimate?: EstimateReport | null;
}

/** The actions that a person can take on a task. */
export type Verb =
  | 'rollback'
  | 'terminate'
  | 'retry'
  | 'skip'
  | 'pause'
  | 'resume'
  | 'reset'
  | 'undo'
  | 'restart'
  | 'signal'
  | 'approve'
  | 'reject';

/** An error as RFC 9457 writes it. */
export interface ProblemReport {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  /** The path that was asked for. */
  readonly instance?: string;
  readonly code: string;
  readonly requestId?: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly message: string;
    readonly hint?: string;
  }[];
  /** How many mistakes there are besides. */
  readonly moreErrors?: number;
}
