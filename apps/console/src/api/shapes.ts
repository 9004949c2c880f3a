import type { Drill } from './drill-shapes.js';

/** The shapes of HTTP responses. Members that older servers do not have are optional. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** How an action of a step is doing. Times in seconds since 1970. */
export interface Run {
  readonly state: string;
  readonly code: number;
  readonly message: string | null;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly attempts: number;
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
  readonly wait?: { readonly signal?: string };
  /** How many tasks do the work of the step, and how they stand. */
  readonly children?: {
    readonly total: number;
    readonly started: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly active: number;
  };
}

/** Why a task does not move. */
export interface Explanation {
  readonly estimate: Estimate | null;
  readonly moving: boolean;
  readonly causes: readonly {
    readonly code: string;
    readonly message: string;
    readonly next: readonly { readonly action: string; readonly label: string }[];
  }[];
}

/** How long something takes. */
export interface Estimate {
  /** For people. */
  readonly message: string;
  /** Seconds; null: not known. */
  readonly p50: number | null;
}

/** A task as a list shows it. */
export interface Summary {
  readonly taskId: string;
  readonly flow: string;
  readonly flowVersion: number;
  readonly status: string;
  readonly timeCreate: number;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly taskMessage: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The approvals that it waits for. */
  readonly approvals: readonly Approval[];
}

/** A step that asks for an approval; an empty list of roles lets everybody answer who may act. */
export interface Approval {
  /** Id of the step's run. */
  readonly step: string;
  readonly title: string;
  readonly roles: readonly string[];
  /** Seconds since 1970. */
  readonly since: number;
}

/** A task whose document cannot be read. */
export interface Unreadable {
  readonly taskId: string;
  readonly status: 'unreadable';
  readonly reason: string;
}

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
export interface Task extends Summary {
  readonly revision: number;
  readonly priority: number;
  readonly input: JsonObject;
  readonly parameters: JsonObject;
  readonly output?: Json;
  readonly wakeAt: number | null;
  readonly paused: { readonly by: string | null; readonly reason: string } | null;
  readonly hold: {
    readonly by: string;
    readonly reason: string;
    readonly until: number | null;
  } | null;
  readonly lastError: {
    readonly step: string | null;
    readonly code: string | number;
    readonly message: string | null;
  } | null;
  readonly restartOf: string | null;
  /** The one step that it runs by itself; null: all of its flow runs. */
  readonly only: string | null;
  readonly parent?: { readonly taskId: string; readonly step: string | null } | null;
  readonly failureFlow?: {
    readonly name: string;
    readonly taskId: string | null;
    readonly message: string | null;
  } | null;
  readonly steps: readonly Step[];
}

/** One entry of a task's journal. */
export interface TaskEvent {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly kind: string;
  readonly step?: string;
  readonly run?: string;
  readonly direction?: string;
  readonly attempt?: number;
  readonly actor: string;
  readonly message?: string;
}

/** A step of a flow; what makes it is a member of its own name: `normal`, `group`, `choice`... */
export interface FlowStep {
  readonly name: string;
  readonly needs?: readonly string[] | undefined;
  readonly normal?: Action;
  readonly rollback?: Action | null;
  readonly [member: string]: unknown;
}

/** One version of a flow. */
export interface Flow {
  readonly name: string;
  readonly version: number;
  readonly timeCreate: number;
  readonly description: string | null;
  readonly input: InputSchema | null;
  readonly timeout: number | null;
  readonly maxLive?: number;
  readonly startable?: boolean;
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
  readonly description?: string;
  readonly default?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly secret?: boolean;
}

/** An error as every answer tells it. */
export interface ProblemBody {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string; readonly message?: string }[];
}

/** A task that holds a lock, or waits for it. `since` is ISO 8601. */
export interface LockPlace {
  readonly taskId: string;
  readonly since: string;
}

/** A lock that somebody holds or waits for. */
export interface Lock {
  readonly name: string;
  readonly slots: number;
  readonly holders: readonly LockPlace[];
  /** The first comes next. */
  readonly waiting: readonly LockPlace[];
}

/** A schedule, which starts tasks by the clock. Moments are ISO 8601. */
export interface Schedule {
  readonly name: string;
  readonly flow: string;
  readonly cron?: string;
  readonly every?: string | number;
  readonly at?: string | number;
  readonly timezone: string;
  readonly paused: boolean;
  readonly pause: { readonly by: string; readonly reason: string | null } | null;
  readonly updatedBy: string;
  readonly author: { readonly gone: boolean } | null;
  readonly generation: number;
  readonly nextAt: string | null;
  readonly waiting: readonly string[];
  /** `moment` null: somebody started it by hand. */
  readonly lastRun: {
    readonly moment: string | null;
    readonly taskId: string;
    readonly at: string;
  } | null;
  readonly lastSkipped: {
    readonly moment: string;
    readonly reason: 'overlap' | 'queue_full' | 'missed' | 'paused' | 'too_many_live';
  } | null;
  readonly lastError: { readonly code: string; readonly message: string } | null;
  readonly counts: { readonly started: number };
}

/** A process that serves a module. Moments are ISO 8601. */
export interface Executor {
  readonly module: string;
  readonly instance: string;
  readonly host: string;
  readonly version: string;
  readonly commands: readonly { readonly name: string; readonly parameters: object | null }[];
  readonly since: string;
  readonly lastSeen: string;
  readonly silentSince: string | null;
  readonly busy: number;
  readonly slots: number;
}

/** Somebody who is signed in. */
export interface Caller {
  readonly name: string;
  readonly role: string;
  /** Roles of which they have the rights. */
  readonly may?: readonly string[];
  /** Whether they may be told of everything at once. */
  readonly seesEverything?: boolean;
  /** Limits of the rights; null or absent: none. */
  readonly flows?: readonly string[] | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly modules?: readonly string[] | null;
  /** Nobody is asked to sign in. */
  readonly everybody: boolean;
}
