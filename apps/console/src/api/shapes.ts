import type { Children } from '#kinds';
import type { HttpApi, HttpRoutes, Json, JsonObject } from '../../../../schemas/http-api.js';
import type { Drill } from './drill-shapes.js';

export type { Json, JsonObject } from '../../../../schemas/http-api.js';

/**
 * The part of the answers that the pages read, as a type of its own where a step or a task is read
 * whatever its kind. `client.ts` has the compiler hold each against the answer that it comes from.
 */

/** How an action of a step is doing. Times in seconds since 1970. */
export interface Run {
  readonly state: string;
  readonly code: number;
  readonly message: string | null;
  readonly timeStart: number | null;
  readonly timeEnd: number | null;
  readonly attempts: number;
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
export type Estimate = Pick<HttpApi['Estimate'], 'message' | 'p50'>;

/** Of a child task: its parent, the run of the step there, and the number of its item. */
interface Parent {
  readonly taskId: string;
  /** Null: it is the failure flow of its parent. */
  readonly step: string | null;
  readonly index: number;
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
  readonly priority: number;
  /** Null: it is no child task. */
  readonly parent: Parent | null;
  /** The request that it was made for; null: a task around it made it. */
  readonly origin: HttpApi['Origin'] | null;
  /** The approvals that it waits for. */
  readonly approvals: readonly Approval[];
  /** The event without which it does not go on; null: it goes on, or waits for a person. */
  readonly awaits: Awaited | null;
}

/** An event that a task waits for. */
type Awaited = HttpApi['Awaited'];

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
export interface Task extends Summary {
  readonly revision: number;
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
  readonly parent: Parent | null;
  readonly failureFlow?: {
    readonly name: string;
    readonly taskId: string | null;
    readonly message: string | null;
  } | null;
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
export interface Flow {
  readonly name: string;
  readonly version: number;
  readonly timeCreate: number;
  readonly description: string | null;
  readonly input: InputSchema | null;
  readonly timeout: number | null;
  readonly maxLive?: number;
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
